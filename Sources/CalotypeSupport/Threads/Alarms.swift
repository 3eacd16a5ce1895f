/// Calls closures at their due times, on one thread that sleeps until then.
///
/// Time in which the machine is suspended does not count. The thread is not woken when an alarm is cancelled,
/// nor by a new alarm that is due later than the one it sleeps for. Alarms of equal duration that are mostly
/// cancelled therefore wake it once in that duration.
// Unchecked because the state is reached only under the pthread mutex, which the compiler does not know: a
// condition variable needs a pthread mutex, so `Guarded` does not serve here.
@safe package final class Alarms: @unchecked Sendable {
    /// The alarms of the process.
    package static let shared = Alarms()

    private struct Alarm {
        var due: SuspendingClock.Instant
        let extending: @Sendable () -> Duration
        let ring: @Sendable () -> Void
    }

    /// The longest duration; a longer one would overflow the instant, and makes no difference in practice.
    private static let durationMax = Duration.seconds(1 << 32)

    private let startThread: BlockingPool.ThreadStart
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wake = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
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
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(wake, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(wake)
        unsafe mutex.deallocate()
        unsafe wake.deallocate()
    }

    /// Calls a closure after a duration; at once, on the calling thread, if the duration is not positive.
    ///
    /// If the system refuses a thread, no alarm rings until a later call can start one.
    ///
    /// - Parameters:
    ///   - duration: The time until the closure is called.
    ///   - extending: Returns by how much to postpone the closure, and is called when the duration has
    ///     passed. A value that is not positive, the default, does not postpone. Must not wait.
    ///   - ring: The closure to call.
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
        let due = SuspendingClock.now + min(duration, Self.durationMax)
        return locked {
            lastNumber += 1
            alarms[lastNumber] = Alarm(due: due, extending: extending, ring: ring)
            if !hasThread {
                hasThread = startThread("calotype-alarms") { self.run() }
            } else if sleepsUntil.map({ due < $0 }) ?? true {
                unsafe pthread_cond_signal(wake)
            }
            return lastNumber
        }
    }

    /// Cancels an alarm, whose closure may be running at the moment.
    package func cancel(_ number: Int) {
        // Released after the lock.
        _ = locked { alarms.removeValue(forKey: number) }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    private func run() {
        while true {
            for ring in locked({ sleepUntilDue() }) { ring() }
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
                alarms[number]?.due = now + min(extra, Self.durationMax)
                return false
            }
            guard due.isEmpty else {
                for number in due.keys { alarms[number] = nil }
                return due.values.map(\.ring)
            }
            sleepsUntil = alarms.values.map(\.due).min()
            sleep(for: sleepsUntil.map { $0 - now })
        }
    }

    private func sleep(for duration: Duration?) {
        guard let duration else {
            unsafe pthread_cond_wait(wake, mutex)
            return
        }
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let (seconds, attoseconds) = duration.components
        // Rounded up, so that the alarm is due when the thread wakes.
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000) + 1
        time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_cond_timedwait(wake, mutex, &time)
    }
}
