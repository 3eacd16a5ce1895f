import CalotypeTesting
import FoundationEssentials
import InMemoryTracing
import MetricsTestKit
import Testing

@testable import Calotype

/// What a pipeline really tells.
@Suite struct ObserversOverPipelineTests {
    private let metrics = TestMetrics()
    private let tracer = InMemoryTracer()
    private let pipeline: ImagePipeline

    init() throws {
        let url = try #require(URL(string: "https://a.org/1.fake"))
        let data = FakeImageDecoder.data(width: 4, height: 3)
        var codecs = CodecRegistry()
        codecs.register(FakeImageDecoder())
        pipeline = ImagePipeline(
            ImagePipeline.Configuration(
                cache: ImageCache(stores: [], codecs: codecs),
                loader: StubDataLoader([url: .data(data)]),
                observers: [MetricsObserver(factory: metrics), TracingObserver(tracer: tracer)]
            )
        )
    }

    private func count(_ outcome: String, _ source: String) throws -> Int64 {
        let dimensions = [("outcome", outcome), ("source", source)]
        return try metrics.expectCounter("calotype_requests", dimensions).totalValue
    }

    @Test func `each call is counted once, by where its image came from`() async throws {
        _ = try await pipeline.load("https://a.org/1.fake")
        _ = try await pipeline.load("https://a.org/1.fake")
        await #expect(throws: LoadError.self) { try await pipeline.load("https://a.org/absent") }
        #expect(try count("success", "network") == 1)
        #expect(try count("success", "memory") == 1)
        #expect(try count("failure", "none") == 1)
        let code = [("stage", "load"), ("code", "fileNotFound")]
        #expect(try metrics.expectCounter("calotype_request_failures", code).totalValue == 1)
    }

    @Test func `a call and its steps are spans`() async throws {
        _ = try await pipeline.load("https://a.org/1.fake")
        let spans = tracer.finishedSpans
        #expect(spans.contains { $0.operationName == "calotype.load" })
        #expect(spans.contains { $0.operationName == "calotype.decode" })
        let calls = spans.filter { $0.operationName == "calotype.request" }
        #expect(calls.count == 1)
    }
}
