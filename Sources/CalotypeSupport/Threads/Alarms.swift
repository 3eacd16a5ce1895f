/// Calls closures at their due times, on one thread that sleeps until then.
///
/// Time in which the machine is suspended does not count. The thread is not woken when an alarm is cancelled,
/// nor by a new alarm that is due later than the one it sleeps for. Alarms of equal duration that are mostly
/// cancelled therefore wake it once in that duration.
// Unchecked because the compiler does not know the condition, under whose lock alone the state is accessed.
@safe package final class Alarms: @unchecked Sendable {
    package static let shared = Alarms()

    private struct Alarm {
        var due: SuspendingClock.Instant
        let extending: @Sendable () -> Duration
        let ring: @Sendable () -> Void
    }

    /// The longest duration; a longer one would overflow the instant, and makes no difference in practice.
    private static let maxDuration = Duration.seconds(1 << 32)

    private let startThread: BlockingPool.ThreadStart
    private let condition = Condition()
    /// At most one per working thread, so finding the earliest by a linear search is cheap enough.
    private var alarms: [Int: Alarm] = [:]
    private var lastNumber = 0
    private var hasThread = false
    /// The due time that the thread sleeps until; `nil` without an alarm.
    private var sleepsUntil: SuspendingClock.Instant?

    /// Creates alarms, whose thread lives as long as the process.
    ///
    /// - Parameter startThread: Starts the thread; by default a thread of the system.
    package init(startThread: @escaping BlockingPool.ThreadStart = SystemThread.start) {
        self.startThread = startThread
    }

    /// Calls a closure after a duration; at once, on the calling thread, if the duration is not positive.
    ///
    /// If the system refuses a thread, no alarm rings until a later call can start one.
    ///
    /// - Parameters:
    ///   - duration: The time until the closure is called.
    ///   - extending: Returns by how much to postpone the closure, and is called when the duration has
    ///     passed. A value that is not positive, the default, does not postpone. Must not wait.
    ///   - ring: The closure to call; must not wait, nor cancel tasks, whose handlers may wait.
    /// - Returns: The number for ``cancel(_:)``.
    package func set(
        after duration: Duration,
        extending: @escaping @Sendable () -> Duration = { .zero },
        _ ring: @escaping @Sendable () -> Void
    ) -> Int {
        guard duration > .zero else {
            ring()
            return 0
        }
        let due = SuspendingClock.now + min(duration, Self.maxDuration)
        return condition.withLock {
            lastNumber += 1
            alarms[lastNumber] = Alarm(due: due, extending: extending, ring: ring)
            if !hasThread {
                hasThread = startThread("calotype-alarms") { self.run() }
            } else if sleepsUntil.map({ due < $0 }) ?? true {
                condition.signal()
            }
            return lastNumber
        }
    }

    /// Cancels an alarm, whose closure may be running at the moment.
    package func cancel(_ number: Int) {
        // Released after the lock.
        _ = condition.withLock { alarms.removeValue(forKey: number) }
    }

    private func run() {
        while true {
            for ring in condition.withLock({ sleepUntilDue() }) { ring() }
        }
    }

    /// Sleeps until alarms are due, then removes and returns their closures.
    private func sleepUntilDue() -> [@Sendable () -> Void] {
        while true {
            let now = SuspendingClock.now
            let due = alarms.filter { number, alarm in
                guard alarm.due <= now else { return false }
                let extra = alarm.extending()
                guard extra > .zero else { return true }
                alarms[number]?.due = now + min(extra, Self.maxDuration)
                return false
            }
            guard due.isEmpty else {
                for number in due.keys { alarms[number] = nil }
                return due.values.map(\.ring)
            }
            sleepsUntil = alarms.values.map(\.due).min()
            condition.wait(for: sleepsUntil.map { $0 - now })
        }
    }
}
