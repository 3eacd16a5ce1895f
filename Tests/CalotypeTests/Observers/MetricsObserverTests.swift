import Calotype
import CalotypeTesting
import FoundationEssentials
import Metrics
import MetricsTestKit
import TestSupport
import Testing

@Suite(.gated) struct MetricsObserverTests {
    private let metrics = TestMetrics()
    private let observer: MetricsObserver
    private let request: ImageRequest = "https://user:secret@a.org/picture?token=secret"
    private let error = LoadError(stage: .load, underlying: FetchError(.timedOut, detail: "a.org"))

    init() {
        observer = MetricsObserver(factory: metrics)
    }

    @Test func `calls are counted and timed by outcome and source`() throws {
        observer.didFinish(request, outcome: .success(.memory), elapsed: .microseconds(3))
        observer.didFinish(request, outcome: .success(.network), elapsed: .milliseconds(20))
        observer.didFinish(request, outcome: .cancelled, elapsed: .milliseconds(1))
        func count(_ outcome: String, _ source: String) throws -> Int64 {
            let dimensions = [("outcome", outcome), ("source", source)]
            return try metrics.expectCounter("calotype_requests", dimensions).totalValue
        }
        #expect(try count("success", "memory") == 1)
        #expect(try count("success", "network") == 1)
        #expect(try count("success", "disk") == 0)
        #expect(try count("cancelled", "none") == 1)
        let timer = try metrics.expectTimer(
            "calotype_request_duration",
            [("outcome", "success"), ("source", "network")]
        )
        #expect(timer.lastValue == 20_000_000)
    }

    @Test func `a failure is counted by its stage and code`() throws {
        observer.didFinish(request, outcome: .failure(error), elapsed: .seconds(15))
        let dimensions = [("stage", "load"), ("code", "timedOut")]
        #expect(try metrics.expectCounter("calotype_request_failures", dimensions).totalValue == 1)
    }

    @Test func `stages are timed and their bytes are counted`() throws {
        let success = StageOutcome(byteCount: 1_000)
        observer.didFinish(.load, of: request, outcome: success, elapsed: .milliseconds(5))
        observer.didFinish(.load, of: request, outcome: success, elapsed: .milliseconds(5))
        let failure = StageOutcome(failure: error)
        observer.didFinish(.load, of: request, outcome: failure, elapsed: .milliseconds(7))
        #expect(try metrics.expectCounter("calotype_stage_bytes", [("stage", "load")]).totalValue == 2_000)
        let failed = [("stage", "load"), ("outcome", "failure")]
        #expect(try metrics.expectTimer("calotype_stage_duration", failed).lastValue == 7_000_000)
    }

    @Test func `a store failure is counted by its stage and code`() throws {
        let error = LoadError(stage: .store, underlying: error.underlying)
        observer.didFailToStore(request, error: error)
        let dimensions = [("stage", "store"), ("code", "timedOut")]
        #expect(try metrics.expectCounter("calotype_store_failures", dimensions).totalValue == 1)
    }

    @Test func `different requests create no additional metrics`() {
        let before = metrics.counters.count + metrics.timers.count
        for index in 0..<100 {
            let request = ImageRequest(stringLiteral: "https://host\(index).org/\(index)?\(index)")
            observer.didFinish(request, outcome: .success(.network), elapsed: .seconds(1))
            observer.didFinish(
                .decode,
                of: request,
                outcome: StageOutcome(byteCount: index),
                elapsed: .seconds(1)
            )
        }
        #expect(metrics.counters.count + metrics.timers.count == before)
    }
}

/// Compares the documented names with those of the observer.
@Suite(.gated) struct ObservabilityDocumentTests {
    @Test func `every metric and dimension is documented`() throws {
        let metrics = TestMetrics()
        let observer = MetricsObserver(factory: metrics)
        let error = LoadError(stage: .load, underlying: FetchError(.timedOut, detail: "a.org"))
        observer.didFinish("https://a.org", outcome: .failure(error), elapsed: .zero)
        observer.didFailToStore("https://a.org", error: error)
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/observability.md")
        let document = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let names = Set(metrics.counters.map(\.label) + metrics.timers.map(\.label))
        #expect(names.count == 9)
        #expect(names.filter { !document.contains("`\($0)`") } == [])
        let dimensions = Set(
            (metrics.counters.flatMap(\.dimensions) + metrics.timers.flatMap(\.dimensions)).map(\.0)
        )
        #expect(dimensions.filter { !document.contains("`\($0)`") } == [])
    }
}
