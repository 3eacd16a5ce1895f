/// A lock whose holders can wait for a change: a pthread mutex with a condition variable.
///
/// It guards the properties of the class that owns it. Unlike `Guarded` it does not hold them, because other
/// threads change them while a holder waits.
// Unchecked because the pointers are plain memory to the compiler; the calls synchronize by themselves.
@safe package struct Condition: ~Copyable, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        unsafe pthread_mutex_init(mutex, nil)
        // The monotonic clock, so that timed waits are not affected by changes of the time of day.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(change, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(change)
        unsafe mutex.deallocate()
        unsafe change.deallocate()
    }

    /// Runs a closure under the lock.
    package func withLock<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Releases the lock until a signal; returns with the lock, sometimes without a signal.
    ///
    /// Call it only under the lock, and check the awaited state again.
    ///
    /// - Parameter duration: The longest wait, without time in which the machine is suspended; `nil` for no
    ///   limit.
    package func wait(for duration: Duration? = nil) {
        guard let duration else {
            unsafe pthread_cond_wait(change, mutex)
            return
        }
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let (seconds, attoseconds) = duration.components
        // Rounded up, so that the duration has passed when the thread wakes.
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000) + 1
        time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_cond_timedwait(change, mutex, &time)
    }

    /// Wakes one waiting thread.
    package func signal() {
        unsafe pthread_cond_signal(change)
    }

    /// Wakes all waiting threads.
    package func broadcast() {
        unsafe pthread_cond_broadcast(change)
    }
}
