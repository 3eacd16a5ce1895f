import CalotypeSupport

/// Decides when a running job must stop; pure except for the clock.
struct JobWatchdog {
    /// The interval between two checks of a job, in milliseconds.
    static let interval: Int32 = 10

    private let maxDuration: Duration
    private var begin = SuspendingClock.now
    private let processorTimeAtBegin: Duration?
    private var nextLook: SuspendingClock.Instant
    private var stoppedAt: SuspendingClock.Instant?
    private var now: SuspendingClock.Instant

    init(maxDuration: Duration, processorTime: Duration?) {
        self.maxDuration = maxDuration
        processorTimeAtBegin = processorTime
        (now, nextLook) = (begin, begin + .milliseconds(Self.interval))
    }

    /// Excludes time that was spent waiting for other workers.
    mutating func leaveOut(_ duration: Duration) { begin += duration }

    mutating func isDue() -> Bool {
        now = SuspendingClock.now
        guard now >= nextLook else { return false }
        nextLook = now + .milliseconds(Self.interval)
        return true
    }

    /// The reason the job must stop, or `nil`.
    mutating func reason(processorTime: Duration?) -> WorkStop.Reason? {
        var used = now - begin
        if let processorTime, let processorTimeAtBegin {
            used = max(used, processorTime - processorTimeAtBegin)
        }
        let reason = WorkStop.currentReason ?? (used > maxDuration ? .timedOut : nil)
        if reason != nil, stoppedAt == nil { stoppedAt = now }
        return reason
    }

    /// True if the job was told to stop at least this long ago.
    func hasWaited(_ duration: Duration) -> Bool { stoppedAt.map { now - $0 >= duration } ?? false }
}
