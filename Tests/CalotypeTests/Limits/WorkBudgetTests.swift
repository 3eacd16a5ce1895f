import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct WorkBudgetTests {
    private func pipeline(maxByteCount: Int?) throws -> ImagePipeline {
        let picture = TestImages.photograph(PixelSize(width: 400, height: 300))
        let data = try JPEGEncoder(quality: 90).encode(picture)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, data) }
        var configuration = ImagePipeline.Configuration(
            cache: ImageCache(stores: [FakeByteStore()]),
            loader: loader
        )
        configuration.maxWorkByteCount = maxByteCount
        return ImagePipeline(configuration)
    }

    private func request(_ number: Int) throws -> ImageRequest {
        var request = ImageRequest(try #require(URL(string: "https://h.test/\(number).jpg")))
        request.transforms = [.resize(width: 40)]
        request.encoding = .webP(quality: 80)
        return request
    }

    @Test func `a variant waits for the pixel budget and releases it`() async throws {
        let pipeline = try pipeline(maxByteCount: 400_000)
        let budget = try #require(pipeline.stages.limits.making?.pixels)
        let lease = try await budget.lease(400_000, LivePriority())
        let tasks = try (0..<3).map { number in
            let request = try request(number)
            return Task { try await pipeline.data(for: request) }
        }
        while budget.waitingCount < 3 { await Task.yield() }
        lease.end()
        for task in tasks { #expect(try await task.value.info.size == PixelSize(width: 40, height: 30)) }
        await pipeline.untilIdle()
        #expect(budget.heldByteCount == 0 && budget.waitingCount == 0)
    }

    @Test func `a variant that exceeds the whole pixel budget is still rendered`() async throws {
        let pipeline = try pipeline(maxByteCount: 1)
        for number in 0..<2 { _ = try await pipeline.data(for: try request(number)) }
        #expect(pipeline.stages.limits.making?.pixels?.heldByteCount == 0)
    }

    @Test(arguments: [DecodeError.Code.crashed, .memoryExceeded, .timedOut])
    func `an image whose header ends its worker is not sent to a second one`(code: DecodeError.Code)
        async throws
    {
        let decoder = EndingDecoder(code: code)
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let cache = ImageCache(stores: [FakeByteStore()], codecs: codecs)
        let bench = PipelineBench {
            $0.cache = cache
            $0.maxWorkByteCount = 1_000
        } answer: { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 40, height: 30))
        }
        for _ in 0..<2 {
            let error = await #expect(throws: LoadError.self) {
                try await bench.pipeline.image(for: bench.request())
            }
            #expect((error?.underlying as? DecodeError)?.code == code)
        }
        #expect(decoder.count.value == 1)
    }

    @Test func `a call cancelled while it waits for the pixel budget takes none of it`() async throws {
        let pipeline = try pipeline(maxByteCount: 1_000)
        let budget = try #require(pipeline.stages.limits.making?.pixels)
        let lease = try await budget.lease(1_000, LivePriority())
        let request = try request(0)
        let task = Task { try await pipeline.data(for: request) }
        while budget.waitingCount == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await pipeline.untilIdle()
        lease.end()
        #expect(budget.heldByteCount == 0 && budget.waitingCount == 0)
    }

    @Test func `the estimate covers the decoded pixels and is lower if the codec decodes small`() throws {
        let full = ImageInfo(format: .jpeg, size: PixelSize(width: 4_000, height: 3_000), pixelFormat: .rgb8)
        let whole = DecodeRecipe(DecodeOptions()).workSize(for: full).byteCount
        let small = DecodeRecipe(DecodeOptions(target: .fit(width: 400))).workSize(for: full).byteCount
        #expect(whole >= 36_000_000 && small < 8_000_000 && small >= 360_000)
        let recipe = DecodeRecipe(DecodeOptions(target: .fit(width: 400)))
        #expect(recipe.workSize(for: full, ownByteCountPerPixel: 3).byteCount >= 36_000_000)
    }
}

/// A decoder whose reads of headers end their worker, as far as its callers can tell.
private struct EndingDecoder: ImageDecoder {
    let code: DecodeError.Code
    let count = SharedState(0)

    var formats: [ImageFormat] { [FakeImageDecoder.format] }

    func recognizes(_ data: Data) -> ImageFormat? { FakeImageDecoder.format }

    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        count.withLock { $0 += 1 }
        throw DecodeError(code, detail: "a header")
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        count.withLock { $0 += 1 }
        throw DecodeError(code, detail: "pixels")
    }
}
