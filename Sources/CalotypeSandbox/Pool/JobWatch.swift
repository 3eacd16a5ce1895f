import CalotypeSupport

/// When a job is to end before it is done; pure but for the clock.
struct JobWatch {
    /// How often a job is looked at, in milliseconds.
    static let interval: Int32 = 10

    private let durationMax: Duration
    private var begin = SuspendingClock.now
    private let processorTimeAtBegin: Duration?
    private var nextLook: SuspendingClock.Instant
    private var stoppedAt: SuspendingClock.Instant?
    private var now: SuspendingClock.Instant

    init(durationMax: Duration, processorTime: Duration?) {
        self.durationMax = durationMax
        processorTimeAtBegin = processorTime
        (now, nextLook) = (begin, begin + .milliseconds(Self.interval))
    }

    /// Leaves out what somebody else has taken so long for.
    mutating func leaveOut(_ duration: Duration) { begin += duration }

    /// Whether it is time for a look.
    mutating func isDue() -> Bool {
        now = SuspendingClock.now
        guard now >= nextLook else { return false }
        nextLook = now + .milliseconds(Self.interval)
        return true
    }

    /// Why the job is to end; `nil` where it may go on.
    mutating func reason(processorTime: Duration?) -> WorkStop.Reason? {
        var used = now - begin
        if let processorTime, let processorTimeAtBegin {
            used = max(used, processorTime - processorTimeAtBegin)
        }
        let reason = WorkStop.currentReason ?? (used > durationMax ? .timedOut : nil)
        if reason != nil, stoppedAt == nil { stoppedAt = now }
        return reason
    }

    /// Whether there has been a reason for so long.
    func hasWaited(_ duration: Duration) -> Bool { stoppedAt.map { now - $0 >= duration } ?? false }
}
