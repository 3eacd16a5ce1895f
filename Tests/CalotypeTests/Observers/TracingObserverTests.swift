import CalotypeTesting
import FoundationEssentials
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@testable import Calotype

@Suite(.gated) struct TracingObserverTests {
    private let tracer = InMemoryTracer()
    private let time = ManualTimeSource(Timestamp(nanosecondsSince1970: 5_000_000_000))
    private let request: ImageRequest = "https://user:secret@a.org/private/picture?token=secret"
    private let error = LoadError(
        stage: .load,
        underlying: FetchError(.timedOut, detail: "https://a.org/private/picture?token=secret")
    )

    private func observer(includesHost: Bool = false) -> TracingObserver {
        TracingObserver(tracer: tracer, includesHost: includesHost, time: time)
    }

    private var span: FinishedInMemorySpan {
        get throws {
            let spans = tracer.finishedSpans
            try #require(spans.count == 1)
            return spans[0]
        }
    }

    private func text(of span: FinishedInMemorySpan) -> String {
        var text = span.operationName + " \(span.status?.message ?? "")"
        span.attributes.forEach { text += " \($0)=\($1)" }
        for error in span.errors { text += " \(error.error)" }
        return text
    }

    @Test func `a call is traced as a span from its start to its end`() throws {
        observer().didFinish(request, outcome: .success(.disk), elapsed: .seconds(2))
        let span = try span
        #expect(span.operationName == "calotype.request")
        #expect(span.startInstant.nanosecondsSinceEpoch == 3_000_000_000)
        #expect(span.endInstant.nanosecondsSinceEpoch == 5_000_000_000)
        #expect(span.attributes["calotype.outcome"]?.toSpanAttribute() == "success")
        #expect(span.attributes["calotype.source"]?.toSpanAttribute() == "disk")
        #expect(span.errors.isEmpty)
        #expect(span.status == nil)
    }

    @Test func `a stage is traced as a span with its byte count`() throws {
        observer().didFinish(
            .decode,
            of: request,
            outcome: StageOutcome(byteCount: 1_234),
            elapsed: .milliseconds(3)
        )
        let span = try span
        #expect(span.operationName == "calotype.decode")
        #expect(span.attributes["calotype.bytes"]?.toSpanAttribute() == 1_234)
        #expect(span.startInstant.nanosecondsSinceEpoch == 4_997_000_000)
    }

    @Test func `an error is recorded in its span and sets the span's status`() throws {
        observer().didFinish(request, outcome: .failure(error), elapsed: .seconds(1))
        let span = try span
        #expect(span.status?.code == .error)
        #expect(span.attributes["error.type"]?.toSpanAttribute() == "load.timedOut")
        #expect(
            span.errors.map { $0.error as? TracedFailure } == [TracedFailure(stage: "load", code: "timedOut")]
        )
    }

    @Test func `a cancelled call is traced without an error`() throws {
        observer().didFinish(request, outcome: .cancelled, elapsed: .seconds(1))
        let span = try span
        #expect(span.attributes["calotype.outcome"]?.toSpanAttribute() == "cancelled")
        #expect(span.errors.isEmpty)
        #expect(span.status == nil)
    }

    @Test func `spans contain no path, query or credentials, and no host by default`() {
        let observer = observer()
        observer.didFinish(request, outcome: .failure(error), elapsed: .seconds(1))
        observer.didFinish(
            .load,
            of: request,
            outcome: StageOutcome(failure: error),
            elapsed: .seconds(1)
        )
        observer.didFailToStore(request, error: error)
        let texts = tracer.finishedSpans.map(text)
        #expect(texts.count == 3)
        for word in ["secret", "user", "token", "private", "a.org"] {
            #expect(!texts.joined().contains(word), "\(word)")
        }
    }

    @Test func `a span contains the host if that is enabled`() throws {
        observer(includesHost: true).didFinish(request, outcome: .cancelled, elapsed: .zero)
        #expect(try span.attributes["server.address"]?.toSpanAttribute() == "a.org")
    }

    @Test func `spans are children of the caller's span`() throws {
        tracer.withSpan("caller") { _ in
            observer().didFinish(request, outcome: .cancelled, elapsed: .zero)
        }
        let spans = tracer.finishedSpans
        let caller = try #require(spans.first { $0.operationName == "caller" })
        let call = try #require(spans.first { $0.operationName == "calotype.request" })
        #expect(call.parentSpanID == caller.spanID)
        #expect(call.traceID == caller.traceID)
    }
}
