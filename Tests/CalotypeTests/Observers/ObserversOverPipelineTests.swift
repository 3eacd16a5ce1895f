import CalotypeTesting
import FoundationEssentials
import InMemoryTracing
import MetricsTestKit
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct ObserversOverPipelineTests {
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

    @Test func `each call is counted once by outcome and source`() async throws {
        _ = try await pipeline.load("https://a.org/1.fake")
        _ = try await pipeline.load("https://a.org/1.fake")
        await #expect(throws: LoadError.self) { try await pipeline.load("https://a.org/absent") }
        #expect(try count("success", "network") == 1)
        #expect(try count("success", "memory") == 1)
        #expect(try count("failure", "none") == 1)
        let code = [("stage", "load"), ("code", "fileNotFound")]
        #expect(try metrics.expectCounter("calotype_request_failures", code).totalValue == 1)
    }

    @Test func `joined calls, retries and redirects are counted`() async throws {
        let gate = AsyncGate()
        let observer = MetricsObserver(factory: metrics)
        let bench = PipelineBench({ $0.observers = [observer] }) { request, _ in
            request.tally?.recordRetry()
            request.tally?.recordRedirect()
            request.tally?.recordRedirect()
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let request = bench.request()
        let first = Task { try await bench.pipeline.load(request) }
        while bench.loader.requests.isEmpty { await Task.yield() }
        let second = Task { try await bench.pipeline.load(request) }
        let joins = try metrics.expectCounter("calotype_requests_joined", [])
        while joins.totalValue == 0 { await Task.yield() }
        gate.open()
        _ = try await (first.value, second.value)
        #expect(joins.totalValue == 1)
        #expect(try metrics.expectCounter("calotype_retries", []).totalValue == 1)
        #expect(try metrics.expectCounter("calotype_redirects", []).totalValue == 2)
    }

    private struct Steps: PipelineObserver {
        let told = SharedState<[String]>([])

        func didBegin(_ stage: LoadError.Stage, of request: ImageRequest) {
            told.withLock { $0.append("begin \(stage.label)") }
        }

        func didFinish(
            _ stage: LoadError.Stage,
            of request: ImageRequest,
            outcome: StageOutcome,
            elapsed: Duration
        ) {
            told.withLock { $0.append("end \(stage.label)") }
        }
    }

    @Test func `observers are notified when each stage begins and ends`() async throws {
        let steps = Steps()
        let bench = PipelineBench({ $0.observers = [steps] }) { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        _ = try await bench.pipeline.load(bench.request { $0.transforms = [.flip(.horizontal)] })
        let stages = ["cache", "load", "decode", "transform", "store"]
        #expect(
            steps.told.value.filter { $0.hasPrefix("begin") }.sorted()
                == stages.map { "begin \($0)" }.sorted()
        )
        #expect(
            steps.told.value.filter { $0.hasPrefix("end") }.sorted() == stages.map { "end \($0)" }.sorted()
        )
        #expect(steps.told.value.first == "begin cache")
    }

    @Test func `gauges report running and waiting work`() async throws {
        let decoder = HeldImageDecoder()
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let data = FakeImageDecoder.data(width: 4, height: 3)
        let gate = AsyncGate()
        let loader = ScriptedDataLoader { request, number in
            if number == 2 { await gate.wait() }
            return .network(request.url, data)
        }
        let cache = ImageCache(stores: [], codecs: codecs, maxDecodeConcurrency: 1)
        let pipeline = ImagePipeline(ImagePipeline.Configuration(cache: cache, loader: loader))
        let none = pipeline.activity
        var tasks: [Task<Image, any Error>] = []
        for number in 0..<3 {
            var request = ImageRequest(url: try #require(URL(string: "https://a.org/\(number)")))
            request.decoding.limits.maxDuration = .seconds(86_400)
            tasks.append(Task { [request] in try await pipeline.image(for: request) })
            while loader.requests.count <= number { await Task.yield() }
        }
        while pipeline.activity.waitingCodecCount == 0 { await Task.yield() }
        let activity = pipeline.activity
        #expect((activity.loadCount, activity.codecCount, activity.waitingCodecCount) == (1, 1, 1))
        #expect(activity.undecodedByteCount == 2 * data.count)
        MetricsObserver(factory: metrics).record(activity)
        #expect(try metrics.expectGauge("calotype_bytes_undecoded").lastValue == Double(2 * data.count))
        #expect(try metrics.expectGauge("calotype_codecs_waiting").lastValue == 1)
        gate.open()
        decoder.release()
        for task in tasks { _ = try await task.value }
        // The last budget is released shortly after its image is delivered.
        while pipeline.activity != none { await Task.yield() }
    }

    @Test func `a call and its stages are traced as spans`() async throws {
        _ = try await pipeline.load("https://a.org/1.fake")
        let spans = tracer.finishedSpans
        #expect(spans.contains { $0.operationName == "calotype.load" })
        #expect(spans.contains { $0.operationName == "calotype.decode" })
        let calls = spans.filter { $0.operationName == "calotype.request" }
        #expect(calls.count == 1)
    }
}
