internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials
public import Tracing

/// Records a span for each call and each stage through swift-distributed-tracing.
///
/// A span is created after its end, with the time it started, in the context of the task that did the work:
/// the spans of a call and of its stages are siblings under the caller's span. No attribute contains a path,
/// a query, a header field or credentials. `Docs/observability.md` lists names and attributes.
public struct TracingObserver: PipelineObserver {
    private let tracer: (any Tracer)?
    private let includesHost: Bool
    private let time: any TimeSource

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - tracer: The tracer; `InstrumentationSystem.tracer` unless given.
    ///   - includesHost: True to record the host of a URL as an attribute; false unless given, because hosts
    ///     reveal what the users of a service look at.
    public init(tracer: (any Tracer)? = nil, includesHost: Bool = false) {
        self.init(tracer: tracer, includesHost: includesHost, time: SystemTimeSource())
    }

    init(tracer: (any Tracer)?, includesHost: Bool, time: any TimeSource) {
        self.tracer = tracer
        self.includesHost = includesHost
        self.time = time
    }

    /// Records the span of a call.
    public func didFinish(_ request: ImageRequest, outcome: LoadOutcome, elapsed: Duration) {
        record("calotype.request", of: request, elapsed: elapsed) { span in
            switch outcome {
            case .success(let source):
                span.attributes["calotype.outcome"] = "success"
                span.attributes["calotype.source"] = source.rawValue
            case .failure(let error):
                span.attributes["calotype.outcome"] = "failure"
                note(error, in: span)
            case .cancelled:
                span.attributes["calotype.outcome"] = "cancelled"
            }
        }
    }

    /// Records the span of a stage.
    public func didFinish(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    ) {
        record("calotype.\(stage.label)", of: request, elapsed: elapsed) { span in
            span.attributes["calotype.bytes"] = outcome.byteCount
            if let failure = outcome.failure { note(failure, in: span) }
        }
    }

    /// Records a span, without duration, of a store that could not be read or written.
    public func didFailToStore(_ request: ImageRequest, error: LoadError) {
        record("calotype.storeFailure", of: request, elapsed: .zero) { note(error, in: $0) }
    }

    private func record(
        _ name: String,
        of request: ImageRequest,
        elapsed: Duration,
        _ describe: (any Span) -> Void
    ) {
        let end = time.now()
        let tracer = tracer ?? InstrumentationSystem.tracer
        let span: any Span = startSpan(name, at: end - elapsed, by: tracer)
        span.attributes["url.scheme"] = request.url.scheme?.lowercased()
        if includesHost { span.attributes["server.address"] = request.url.host() }
        describe(span)
        span.end(at: DefaultTracerClock.Timestamp(end))
    }

    private func startSpan<Tracer: Tracing.Tracer>(
        _ name: String,
        at start: Timestamp,
        by tracer: Tracer
    ) -> Tracer.Span {
        tracer.startSpan(
            name,
            context: ServiceContext.current ?? .topLevel,
            ofKind: .internal,
            at: DefaultTracerClock.Timestamp(start)
        )
    }

    private func note(_ error: LoadError, in span: any Span) {
        let failure = TracedFailure(stage: error.stage.label, code: error.codeLabel)
        span.attributes["error.type"] = failure.description
        span.recordError(failure)
        span.setStatus(SpanStatus(code: .error, message: failure.description))
    }
}

/// The parts of an error that traces contain: its fixed words, not its text, which may name hosts and files.
struct TracedFailure: Error, Hashable, CustomStringConvertible {
    let stage: String
    let code: String

    var description: String { "\(stage).\(code)" }
}

extension DefaultTracerClock.Timestamp {
    fileprivate init(_ time: Timestamp) {
        self.init(nanosecondsSinceEpoch: UInt64(max(0, time.nanosecondsSince1970)))
    }
}
