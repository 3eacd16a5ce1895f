internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeLoading
public import Metrics

/// Records counters and timers of a pipeline through swift-metrics.
///
/// Every label is from a fixed set of words: none is derived from a URL, a host or an error text.
/// `Docs/observability.md` lists names, units and dimensions.
public final class MetricsObserver: PipelineObserver {
    private let requests: Outcomes<Counter>
    private let requestDurations: Outcomes<Timer>
    private let joins: Counter
    private let retries: Counter
    private let redirects: Counter
    private let stages: [LoadError.Stage: Stage]
    private let factory: any MetricsFactory

    /// Creates an observer that records through a factory.
    ///
    /// Without a factory it uses `MetricsSystem.factory`, which must be bootstrapped before.
    public init(factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        self.factory = factory
        requests = Outcomes { Counter(label: Name.requests, dimensions: $0, factory: factory) }
        requestDurations = Outcomes { Timer(label: Name.requestDuration, dimensions: $0, factory: factory) }
        joins = Counter(label: Name.joins, factory: factory)
        retries = Counter(label: Name.retries, factory: factory)
        redirects = Counter(label: Name.redirects, factory: factory)
        stages = Dictionary(
            uniqueKeysWithValues: LoadError.Stage.all.map { ($0, Stage($0, factory: factory)) }
        )
    }

    /// Counts and times a call.
    public func didFinish(_ request: ImageRequest, outcome: LoadOutcome, elapsed: Duration) {
        requests[outcome].increment()
        requestDurations[outcome].record(duration: elapsed)
        if case .failure(let error) = outcome { count(error, as: Name.requestFailures) }
    }

    /// Counts a call, or the work for one, that shared other work.
    public func didJoin(_ request: ImageRequest) {
        joins.increment()
    }

    /// Times a stage, and counts its bytes, retries and redirects.
    public func didFinish(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    ) {
        let metrics = stages[stage] ?? Stage(stage, factory: factory)
        let timer = outcome.failure == nil ? metrics.successDuration : metrics.failureDuration
        timer.record(duration: elapsed)
        if outcome.byteCount > 0 { metrics.byteCount.increment(by: outcome.byteCount) }
        if outcome.fetch.retryCount > 0 { retries.increment(by: outcome.fetch.retryCount) }
        if outcome.fetch.redirectCount > 0 { redirects.increment(by: outcome.fetch.redirectCount) }
    }

    /// Counts a store that could not be read or written.
    public func didFailToStore(_ request: ImageRequest, error: LoadError) {
        count(error, as: Name.storeFailures)
    }

    /// Sets the gauges; call it regularly, such as once a second, with ``ImagePipeline/activity``.
    public func record(_ activity: PipelineActivity) {
        for (name, value) in [
            ("calotype_loads", activity.loadCount),
            ("calotype_loads_running", activity.loader.runningCount),
            ("calotype_loads_waiting", activity.loader.waitingCount),
            ("calotype_codecs", activity.codecCount),
            ("calotype_codecs_waiting", activity.waitingCodecCount),
            ("calotype_decodes_stuck", activity.stuckDecodeCount),
            ("calotype_bytes_undecoded", activity.undecodedByteCount),
            ("calotype_bytes_unwritten", activity.unwrittenByteCount),
            ("calotype_bodies_waiting", activity.waitingBodyCount),
        ] {
            Gauge(label: name, dimensions: [], factory: factory).record(value)
        }
    }

    /// Counts a failure; the counter is created on demand, because few of the codes ever occur.
    private func count(_ error: LoadError, as name: String) {
        let dimensions = [("stage", error.stage.label), ("code", error.codeLabel)]
        Counter(label: name, dimensions: dimensions, factory: factory).increment()
    }
}

extension MetricsObserver {
    /// The names of the metrics; changing one breaks dashboards.
    private enum Name {
        static let requests = "calotype_requests"
        static let requestDuration = "calotype_request_duration"
        static let joins = "calotype_requests_joined"
        static let retries = "calotype_retries"
        static let redirects = "calotype_redirects"
        static let requestFailures = "calotype_request_failures"
        static let stageDuration = "calotype_stage_duration"
        static let stageBytes = "calotype_stage_bytes"
        static let storeFailures = "calotype_store_failures"
    }

    /// A metric for each outcome of a call.
    private struct Outcomes<Metric: Sendable>: Sendable {
        let successes: [LoadedImage.Source: Metric]
        let failure: Metric
        let cancelled: Metric
        let make: @Sendable ([(String, String)]) -> Metric

        init(_ make: @escaping @Sendable ([(String, String)]) -> Metric) {
            successes = Dictionary(
                uniqueKeysWithValues: LoadedImage.Source.allCases.map {
                    ($0, make(Self.dimensions("success", source: $0.rawValue)))
                }
            )
            failure = make(Self.dimensions("failure", source: "none"))
            cancelled = make(Self.dimensions("cancelled", source: "none"))
            self.make = make
        }

        subscript(outcome: LoadOutcome) -> Metric {
            switch outcome {
            case .success(let source):
                successes[source] ?? make(Self.dimensions("success", source: source.rawValue))
            case .failure: failure
            case .cancelled: cancelled
            }
        }

        private static func dimensions(_ outcome: String, source: String) -> [(String, String)] {
            [("outcome", outcome), ("source", source)]
        }
    }

    private struct Stage: Sendable {
        let successDuration: Timer
        let failureDuration: Timer
        let byteCount: Counter

        init(_ stage: LoadError.Stage, factory: any MetricsFactory) {
            func timer(_ outcome: String) -> Timer {
                let dimensions = [("stage", stage.label), ("outcome", outcome)]
                return Timer(label: Name.stageDuration, dimensions: dimensions, factory: factory)
            }
            successDuration = timer("success")
            failureDuration = timer("failure")
            byteCount = Counter(
                label: Name.stageBytes,
                dimensions: [("stage", stage.label)],
                factory: factory
            )
        }
    }
}

extension LoadError.Stage {
    /// The stages whose metrics are created in advance.
    fileprivate static let all: [LoadError.Stage] = [.cache, .load, .decode, .transform, .encode, .store]
}
