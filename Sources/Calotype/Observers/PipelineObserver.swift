public import CalotypeLoading

/// Receives the events of a pipeline; every method has an empty default.
///
/// Methods are called on the task that does the work, and must return soon. `MetricsObserver`,
/// `TracingObserver` and `LogObserver` derive metrics, traces and logs from the events.
public protocol PipelineObserver: Sendable {
    /// Called exactly once for each call, when it has ended.
    ///
    /// - Parameters:
    ///   - request: The request of the call.
    ///   - outcome: The outcome of the call.
    ///   - elapsed: The time from the call to its end.
    func didFinish(_ request: ImageRequest, outcome: LoadOutcome, elapsed: Duration)

    /// Called when a call, or the work for one, waits for other work in progress, or takes its result.
    ///
    /// - Parameter request: The request that shares the work.
    func didJoin(_ request: ImageRequest)

    /// Called when a stage of the work for one or several calls begins, before it waits for its turn.
    ///
    /// - Parameters:
    ///   - stage: The stage.
    ///   - request: The request that started the work; others may share it.
    func didBegin(_ stage: LoadError.Stage, of request: ImageRequest)

    /// Called when a stage of the work for one or several calls has ended, unless it was cancelled.
    ///
    /// - Parameters:
    ///   - stage: The stage.
    ///   - request: The request that started the work; others may share it.
    ///   - outcome: The outcome of the stage.
    ///   - elapsed: The duration of the stage, with the wait for its turn.
    func didFinish(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    )

    /// Called when more bytes of an original have arrived.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes received so far.
    ///   - expected: The bytes announced, or `nil`.
    ///   - request: The request that started the load; others may share it.
    func didReceive(_ byteCount: Int, expected: Int?, of request: ImageRequest)

    /// Called when a store could not be read or written; the request continues without it.
    func didFailToStore(_ request: ImageRequest, error: LoadError)
}

/// The outcome of a call.
public enum LoadOutcome: Sendable {
    /// A result from this source.
    case success(LoadedImage.Source)
    /// An error.
    case failure(LoadError)
    /// The cancellation of the task.
    case cancelled
}

/// The outcome of a stage.
public struct StageOutcome: Sendable {
    /// The bytes that the stage read, received, decoded or wrote; 0 if it found nothing.
    public var byteCount: Int

    /// The error, if the stage failed.
    public var failure: LoadError?

    /// The number of stores that failed in the stage `cache` before another one answered; 0 unless set.
    public var storeFailureCount = 0

    /// The retries and redirects of the stage `load`; none unless set.
    public var fetch: FetchTally.Counts = FetchTally.Counts()

    /// Creates an outcome.
    public init(byteCount: Int = 0, failure: LoadError? = nil) {
        self.byteCount = byteCount
        self.failure = failure
    }
}

extension PipelineObserver {
    /// Does nothing.
    public func didFinish(_ request: ImageRequest, outcome: LoadOutcome, elapsed: Duration) {}

    /// Does nothing.
    public func didJoin(_ request: ImageRequest) {}

    /// Does nothing.
    public func didBegin(_ stage: LoadError.Stage, of request: ImageRequest) {}

    /// Does nothing.
    public func didFinish(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    ) {}

    /// Does nothing.
    public func didReceive(_ byteCount: Int, expected: Int?, of request: ImageRequest) {}

    /// Does nothing.
    public func didFailToStore(_ request: ImageRequest, error: LoadError) {}
}
