import Calotype

/// The load of a service at one moment.
public struct ServiceLoad: Hashable, Sendable {
    /// The number of images in progress.
    public var runningCount: Int
    /// The number of queued images.
    public var waitingCount: Int
    /// The bytes reserved for pixels of work in progress, by estimate.
    public var heldByteCount: Int
    /// The maximum of these bytes; `nil` for no limit.
    public var byteCountMax: Int?
    /// The maximum number of images in progress; `nil` for no limit.
    public var runningCountMax: Int?
    /// The maximum number of queued images; `nil` for no limit.
    public var waitingCountMax: Int?
    /// The number of images whose processing has started, in all.
    public var startedCount = 0
    /// The number of those that have finished, whether they succeeded or failed.
    public var endedCount = 0
    /// The number of decodes that have started; equal concurrent requests share one.
    public var decodeCount = 0
}

extension ImageService {
    /// The current load of the service.
    public var load: ServiceLoad {
        let workload = pipeline.workload
        return ServiceLoad(
            runningCount: workload.runningCount,
            waitingCount: workload.waitingCount,
            heldByteCount: workload.heldByteCount,
            byteCountMax: workload.byteCountMax,
            runningCountMax: workload.runningCountMax,
            waitingCountMax: workload.waitingCountMax,
            startedCount: workload.startedCount,
            endedCount: workload.endedCount,
            decodeCount: workload.decodeCount
        )
    }
}
