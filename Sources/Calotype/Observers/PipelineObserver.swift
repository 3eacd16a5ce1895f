public import CalotypeLoading

/// Is told what a pipeline does; every method has an empty default.
///
/// Methods are called on the task that does the work, and must return soon. Metrics, traces and logs are made
/// from them: `MetricsObserver` and `TracingObserver` ship with the pipeline.
public protocol PipelineObserver: Sendable {
    /// A call has ended; told exactly once for each call.
    ///
    /// - Parameters:
    ///   - request: What was asked for.
    ///   - outcome: How it ended.
    ///   - elapsed: From the call to its end.
    func pipeline(didFinish request: ImageRequest, outcome: LoadOutcome, elapsed: Duration)

    /// A call, or the work for one, waits for work that another has started, or takes its result.
    ///
    /// - Parameter request: The request that finds the work at hand.
    func pipeline(didJoin request: ImageRequest)

    /// A step of the work for one or several calls begins: it waits for its turn first.
    ///
    /// - Parameters:
    ///   - stage: Which step.
    ///   - request: The request that started the work; others may share it.
    func pipeline(didBegin stage: LoadError.Stage, of request: ImageRequest)

    /// A step of the work for one or several calls has ended; not told where it was cancelled.
    ///
    /// - Parameters:
    ///   - stage: Which step.
    ///   - request: The request that started the work; others may share it.
    ///   - outcome: What the step did.
    ///   - elapsed: How long it took, waiting for its turn included.
    func pipeline(
        didFinish stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    )

    /// More bytes of an original have come.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes received so far.
    ///   - expected: The bytes announced, or `nil`.
    ///   - request: The request that started the load; others may share it.
    func pipeline(didReceive byteCount: Int, expected: Int?, of request: ImageRequest)

    /// A store could not be read or written; the request went on without it.
    func pipeline(didFailToStore request: ImageRequest, error: LoadError)
}

/// How a call ended.
public enum LoadOutcome: Sendable {
    /// With a result, which came from there.
    case success(LoadedImage.Source)
    /// With an error.
    case failure(LoadError)
    /// Its task was cancelled.
    case cancelled
}

/// What a step of the work did.
public struct StageOutcome: Sendable {
    /// The bytes that the step read, received, decoded or wrote; 0 where it found nothing.
    public var byteCount: Int

    /// Why it failed, if it did.
    public var failure: LoadError?

    /// The stores of the step `cache` that failed before another one answered; none unless set.
    public var storeFailureCount = 0

    /// The requests of the step `load` that were sent once more, and the redirects that it has met; none
    /// unless set.
    public var fetch: FetchTally.Counts = FetchTally.Counts()

    /// Creates an outcome.
    public init(byteCount: Int = 0, failure: LoadError? = nil) {
        self.byteCount = byteCount
        self.failure = failure
    }
}

extension PipelineObserver {
    /// Does nothing.
    public func pipeline(didFinish request: ImageRequest, outcome: LoadOutcome, elapsed: Duration) {}

    /// Does nothing.
    public func pipeline(didJoin request: ImageRequest) {}

    /// Does nothing.
    public func pipeline(didBegin stage: LoadError.Stage, of request: ImageRequest) {}

    /// Does nothing.
    public func pipeline(
        didFinish stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    ) {}

    /// Does nothing.
    public func pipeline(didReceive byteCount: Int, expected: Int?, of request: ImageRequest) {}

    /// Does nothing.
    public func pipeline(didFailToStore request: ImageRequest, error: LoadError) {}
}
