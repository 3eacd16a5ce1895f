/// Counters of codec workers.
public struct CodecWorkerStatistics: Hashable, Sendable {
    /// The reason a worker was lost.
    public enum Loss: String, Hashable, Sendable, CaseIterable {
        /// The worker exited, made a forbidden system call, or sent an invalid response.
        case crashed
        /// The job exceeded its time limit and did not stop when asked to.
        case timedOut
        /// The job exceeded the memory limit.
        case memoryExceeded
        /// The job was cancelled and did not stop when asked to.
        case cancelled
        /// The worker was killed from outside, busy or idle, or because all workers together used too much
        /// memory.
        case killed
        /// The worker could not be reached, or there was not enough memory for the job.
        case unavailable
    }

    /// Running worker processes.
    public var processCount = 0
    /// Workers that run a job.
    public var busyCount = 0
    /// Processes started so far.
    public var startedCount = 0
    /// Jobs started so far.
    public var jobCount = 0
    /// Lost workers by reason.
    ///
    /// `killed` also counts idle workers.
    public var lossCounts: [Loss: Int] = [:]
    /// Memory of all workers in bytes, last measured while they work and after each job.
    public var memoryByteCount = 0
    /// Workers replaced because of their job count or growth.
    public var renewedCount = 0

    /// Creates empty counters.
    public init() {}

    /// The total number of lost workers.
    public var lostCount: Int { lossCounts.values.reduce(0, +) }

    /// Adds the counters of two groups of workers, except their memory.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.processCount += right.processCount
        sum.busyCount += right.busyCount
        sum.startedCount += right.startedCount
        sum.jobCount += right.jobCount
        sum.lossCounts.merge(right.lossCounts, uniquingKeysWith: +)
        sum.renewedCount += right.renewedCount
        return sum
    }
}
