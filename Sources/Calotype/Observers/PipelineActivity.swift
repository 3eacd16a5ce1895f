public import CalotypeLoading

/// A snapshot of a pipeline's activity, for gauges; contains no sums over time.
public struct PipelineActivity: Hashable, Sendable {
    /// Loads that a loader has started and not completed, with those in the loader's own queue.
    public var loadCount: Int
    /// The running and queued loads of the loader, also by origin.
    public var loader: LoaderActivity
    /// Running decodes, transforms and encodes.
    public var codecCount: Int
    /// Decodes, transforms and encodes that wait for a thread.
    public var waitingCodecCount: Int
    /// Decodes that continue after their time limit, each with a thread.
    public var stuckDecodeCount: Int
    /// The bytes of bodies not decoded yet, within ``ImagePipeline/Configuration/maxByteCountInFlight``.
    public var undecodedByteCount: Int
    /// The bytes that wait to be written, within the same limit.
    public var unwrittenByteCount: Int
    /// Bodies that wait for budget.
    public var waitingBodyCount: Int
}
