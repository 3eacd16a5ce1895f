import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Stacks of the frames of an animation.
@Suite(.blocking) struct PageWorkTests {
    private static func file() throws -> Data {
        let frames = FakeFrameSource(
            frameCount: 60,
            size: PixelSize(width: 400, height: 250),
            valueStep: 4
        )
        let first = frames.image(at: 0)
        return try GIFEncoder().encode(
            first.replacing(animation: Animation(source: frames, firstFrame: first))
        )
    }

    private static func request() throws -> ImageRequest {
        var request = ImageRequest(try #require(URL(string: "https://h.test/a.gif")))
        request.decoding.frames = .first
        request.decoding.pages = PageSelection(first: 0, count: 60)
        request.encoding = .webP(quality: 80)
        return request
    }

    @Test func `stacked frames of an animation wait for their pixels`() async throws {
        let data = try Self.file()
        let loader = ScriptedDataLoader { request, _ in .network(request.url, data) }
        var configuration = ImagePipeline.Configuration(
            cache: ImageCache(stores: [FakeByteStore()]),
            loader: loader
        )
        configuration.maxWorkByteCount = 20_000_000
        let pipeline = ImagePipeline(configuration)
        let budget = try #require(pipeline.stages.limits.making?.pixels)
        // The stack has 24 MB, one frame 0.4 MB, and 4 MB are left.
        let lease = try await budget.lease(16_000_000, LivePriority())
        let request = try Self.request()
        let task = Task { try await pipeline.data(for: request).info.size }
        #expect(await AdmissionBench.eventually { budget.waitingCount == 1 })
        lease.end()
        #expect(try await task.value == PixelSize(width: 400, height: 15_000))
    }

    @Test func `stacked frames of an animation are resized as one image`() async throws {
        let data = try Self.file()
        let bench = PipelineBench { request, _ in .network(request.url, data) }
        var request = try Self.request()
        request.transforms = .resize(width: 40)
        let size = try await bench.pipeline.data(for: request).info.size
        #expect(size == PixelSize(width: 40, height: 1_500))
    }

    @Test func `a stack counts beside its frames`() {
        let info = ImageInfo(
            format: .gif,
            size: PixelSize(width: 100, height: 1_000),
            frameCount: 10,
            pixelFormat: .rgba8
        )
        var options = DecodeOptions(frames: .first)
        let byteCount = DecodeRecipe(options).workSize(for: info).byteCount
        options.pages = PageSelection(first: 0, count: 10)
        let stacked = DecodeRecipe(options).workSize(for: info).byteCount
        #expect(stacked >= byteCount + 4 * info.size.pixelCount)
    }

    @Test func `a late frame counts as all frames before it`() {
        let info = ImageInfo(
            format: .gif,
            size: PixelSize(width: 1_000, height: 1_000),
            frameCount: 100,
            pixelFormat: .rgba8
        )
        var options = DecodeOptions(frames: .first)
        #expect(!DecodeRecipe(options).workSize(for: info).isLarge)
        options.pages = PageSelection(first: 50)
        #expect(DecodeRecipe(options).workSize(for: info).isLarge)
    }
}
