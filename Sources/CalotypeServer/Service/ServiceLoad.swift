import Calotype

/// How busy a service is at a moment.
public struct ServiceLoad: Hashable, Sendable {
    /// Pictures that are being made.
    public var runningCount: Int
    /// Pictures that wait for a place.
    public var waitingCount: Int
    /// Bytes held for the pixels of what is being made, by what was estimated of them.
    public var heldByteCount: Int
    /// The most of them; `nil` where that is not limited.
    public var byteCountMax: Int?
    /// The most pictures that are made at once; `nil` where that is not limited.
    public var runningCountMax: Int?
    /// The most that wait; `nil` where that is not limited.
    public var waitingCountMax: Int?
    /// Pictures that have been begun since the start.
    public var startedCount = 0
    /// Those of them that have ended, well or not.
    public var endedCount = 0
    /// Decodes that have been begun; requests that ask for the same share one.
    public var decodeCount = 0
}

extension ImageService {
    /// How busy the service is now.
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
