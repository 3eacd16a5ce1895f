import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Loads whose decode has no waiter left or takes too long.
@Suite(.gated) struct DecodeStopTests {
    private static let url = "https://example.org/a.fake"

    private let store = FakeByteStore()
    private let loader: StubDataLoader

    init() throws {
        let url = try #require(URL(string: Self.url))
        loader = StubDataLoader([url: .data(FakeImageDecoder.data(width: 40, height: 30))])
    }

    private func makePipeline(_ decoder: HeldImageDecoder) -> ImagePipeline {
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let cache = ImageCache(stores: [store], codecs: codecs, maxDecodeConcurrency: 2)
        return ImagePipeline(ImagePipeline.Configuration(cache: cache, loader: loader))
    }

    private func request(_ maxDuration: Duration = .seconds(86_400), width: Int? = nil) -> ImageRequest {
        var request = ImageRequest(stringLiteral: Self.url)
        request.decoding.limits.maxDuration = maxDuration
        if let width { request.decoding.target = .fit(PixelBox(width: width)) }
        return request
    }

    @Test func `cancelling the last waiter stops a running decode`() async throws {
        let decoder = HeldImageDecoder(heedsStop: true)
        let pipeline = makePipeline(decoder)
        let tasks = (0..<3).map { _ in Task { try await pipeline.image(for: request()) } }
        await decoder.reached.wait()
        while pipeline.loads.variants.waiterCount < tasks.count { await Task.yield() }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await decoder.ended.wait()
        decoder.release()
        try await pipeline.shutdown()
        #expect(decoder.startedCount == 1)
        #expect(store.operations.allSatisfy { !$0.hasPrefix("store") })
    }

    @Test func `cancelling one load leaves the decode to its other waiters`() async throws {
        let decoder = HeldImageDecoder(heedsStop: true)
        let pipeline = makePipeline(decoder)
        let leaving = Task { try await pipeline.image(for: request()) }
        await decoder.reached.wait()
        let staying = Task { try await pipeline.image(for: request()) }
        while pipeline.loads.variants.waiterCount < 2 { await Task.yield() }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        decoder.release()
        #expect(try await staying.value.size.width == 40)
        #expect(decoder.startedCount == 1)
    }

    @Test func `a pipeline shuts down while a decoder blocks a thread`() async throws {
        let decoder = HeldImageDecoder()
        let pipeline = makePipeline(decoder)
        let task = Task { try await pipeline.image(for: request()) }
        await decoder.reached.wait()
        try await pipeline.shutdown()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(decoder.endedCount == 0)
        decoder.release()
    }

    @Test func `a decode that times out is not repeated for other sizes until the failure is forgotten`()
        async throws
    {
        let decoder = HeldImageDecoder()
        let pipeline = makePipeline(decoder)
        // Usually long enough for the decode to start before its time is up.
        repeat {
            pipeline.forgetFailures()
            try await timedOut(pipeline, width: nil)
        } while decoder.startedCount == 0
        let requestCount = loader.requests.count
        for width in [20, 10] { try await timedOut(pipeline, width: width) }
        #expect(decoder.startedCount == 1)
        #expect(loader.requests.count == requestCount)
        #expect(pipeline.cache.statistics.stuckDecodeCount == 1)
        #expect(store.operations.allSatisfy { !$0.hasPrefix("store") })
        decoder.release()
        pipeline.forgetFailures()
        #expect(try await pipeline.image(for: request()).size.width == 40)
    }

    @Test func `a decode that timed out is tried again for a request that allows more time`() async throws {
        let decoder = HeldImageDecoder()
        let pipeline = makePipeline(decoder)
        try await timedOut(pipeline, width: nil)
        decoder.release()
        #expect(try await pipeline.image(for: request()).size.width == 40)
        try await timedOut(pipeline, width: 20)
    }

    @Test func `a request that allows more time does not share the decode of one that allows less`()
        async throws
    {
        let decoder = HeldImageDecoder()
        let pipeline = makePipeline(decoder)
        let patient = Task { try await pipeline.image(for: request()) }
        await decoder.reached.wait()
        try await timedOut(pipeline, width: nil)
        decoder.release()
        #expect(try await patient.value.size.width == 40)
    }

    private func timedOut(_ pipeline: ImagePipeline, width: Int?) async throws {
        do {
            _ = try await pipeline.image(for: request(.seconds(1), width: width))
            Issue.record("it was held")
        } catch let error as LoadError {
            #expect(error.stage == .decode)
            #expect(error.codeLabel == "timedOut")
        }
    }
}
