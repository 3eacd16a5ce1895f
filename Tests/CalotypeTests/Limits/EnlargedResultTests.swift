import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Results that are larger than their originals.
@Suite(.blocking) struct EnlargedResultTests {
    private static func pipeline() throws -> ImagePipeline {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let data = try JPEGEncoder(quality: 90).encode(picture)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, data) }
        var configuration = ImagePipeline.Configuration(
            cache: ImageCache(stores: [FakeByteStore()]),
            loader: loader
        )
        configuration.maxWorkByteCount = 20_000_000
        return ImagePipeline(configuration)
    }

    private static func request(_ transforms: TransformChain) throws -> ImageRequest {
        var request = ImageRequest(try #require(URL(string: "https://h.test/a.jpg")))
        request.transforms = transforms
        return request
    }

    @Test(arguments: [
        TransformChain.resize(to: PixelSize(width: 2_000, height: 1_500)),
        .pad(by: PixelInsets(top: 700, left: 900, bottom: 700, right: 900)),
    ])
    func `a result larger than its original waits for its pixels`(transforms: TransformChain) async throws {
        let pipeline = try Self.pipeline()
        let budget = try #require(pipeline.stages.limits.making?.pixels)
        // The result alone has 9 or 11 MB, and 4 MB are left.
        let lease = try await budget.lease(16_000_000, LivePriority())
        var request = try Self.request(transforms)
        request.encoding = .webP(quality: 80)
        let task = Task { [request] in try await pipeline.data(for: request).info.size }
        #expect(await AdmissionBench.eventually { budget.waitingCount == 1 })
        lease.end()
        #expect(try await task.value.width > 1_500)
        await pipeline.untilIdle()
        #expect(budget.heldByteCount == 0)
    }

    @Test func `a result whose size the pixels decide counts before it is made`() async throws {
        let pipeline = try Self.pipeline()
        let reading = BudgetReading(budget: try #require(pipeline.stages.limits.making?.pixels))
        let enlarging = TransformChain.resize(to: PixelSize(width: 2_000, height: 1_500))
        let request = try Self.request([.trim(), enlarging, TransformChain(reading)])
        #expect(try await pipeline.image(for: request).size.width == 2_000)
        #expect(reading.byteCount.value >= 24_000_000)
        #expect(reading.budget.heldByteCount == 0)
    }

    @Test func `a larger result of an image in memory waits for its pixels`() async throws {
        let pipeline = try Self.pipeline()
        let budget = try #require(pipeline.stages.limits.making?.pixels)
        let small = try Self.request(.resize(width: 60))
        #expect(try await pipeline.image(for: small).size.width == 60)
        let lease = try await budget.lease(16_000_000, LivePriority())
        let request = try Self.request([
            small.transforms, .pad(by: PixelInsets(top: 700, left: 900, bottom: 700, right: 900)),
        ])
        let task = Task { try await pipeline.image(for: request).size.width }
        #expect(await AdmissionBench.eventually { budget.waitingCount == 1 })
        lease.end()
        #expect(try await task.value == 1_860)
        #expect(budget.heldByteCount == 0)
    }

    @Test func `a result of many pixels is large work, however small its original is`() throws {
        let info = ImageInfo(format: .jpeg, size: PixelSize(width: 120, height: 90), pixelFormat: .rgb8)
        let chain = TransformChain.resize(to: PixelSize(width: 10_000, height: 10_000))
        let size = DecodeRecipe(try Self.request(chain)).workSize(for: info, applying: chain)
        #expect(size.isLarge && size.byteCount >= 800_000_000)
        let small = TransformChain.resize(width: 60)
        #expect(!DecodeRecipe(try Self.request(small)).workSize(for: info, applying: small).isLarge)
    }
}

/// Reads the budget of pixels at its turn in a chain.
private struct BudgetReading: ImageTransform {
    let budget: ByteBudget
    let byteCount = SharedState(0)

    var cacheIdentity: String { "reading-1" }

    func apply(to image: Image) throws -> Image {
        byteCount.withLock { $0 = budget.heldByteCount }
        return image
    }

    static func == (left: BudgetReading, right: BudgetReading) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
