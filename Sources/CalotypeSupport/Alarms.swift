/// Calls closures when their time has come, on one thread that sleeps until then.
///
/// Time in which the machine is suspended does not count. The thread is not woken where an alarm is
/// cancelled, nor for one that is later than what it sleeps for: alarms that are all as long as each other,
/// and mostly cancelled, wake it once in that time.
// Unchecked because the state is reached only under the pthread mutex, which the compiler does not know: a
// condition variable needs a pthread mutex, so `Guarded` does not serve here.
@safe package final class Alarms: @unchecked Sendable {
    /// Those of the process.
    package static let shared = Alarms()

    private struct Alarm {
        var due: SuspendingClock.Instant
        let extending: @Sendable () -> Duration
        let ring: @Sendable () -> Void
    }

    /// Longer ones are as good as none, and their instants could not be told.
    private static let durationMax = Duration.seconds(1 << 32)

    private let startThread: BlockingPool.ThreadStart
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wake = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// As many as there are threads that work, so the earliest is looked for among all.
    private var alarms: [Int: Alarm] = [:]
    private var lastNumber = 0
    private var hasThread = false
    /// What the thread sleeps for; `nil` where there was nothing.
    private var sleepsUntil: SuspendingClock.Instant?

    /// Creates alarms, whose thread lives as long as the process.
    ///
    /// - Parameter startThread: What starts the thread; the system by default.
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

    /// Has a closure called after a while; at once, and by the caller, where that is not positive.
    ///
    /// Where the system has no thread to give, no alarm rings until it has one for a later alarm.
    ///
    /// - Parameters:
    ///   - duration: How long.
    ///   - extending: Asked once that has passed: how much later it is to be called; not at all where that is
    ///     not positive, as unless given. Must not wait.
    ///   - ring: What is called.
    /// - Returns: What ``cancel(_:)`` takes.
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

    /// Takes an alarm back; it may be ringing at the moment.
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

    /// Sleeps until alarms are due, and takes them out.
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
