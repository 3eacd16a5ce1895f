import Glibc

/// A first-in first-out queue of closures with the threads that drain it.
///
/// The threads hold the queue; the queue ends when ``close()`` has been called and everything in it has run.
// Unchecked because the state is reached only under the pthread mutex, which the compiler does not know: a
// condition variable needs a pthread mutex, so `Guarded` does not serve here.
@safe final class WorkQueue: @unchecked Sendable {
    private typealias Work = @Sendable () -> Void

    private let threadCountMax: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let wake: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [Work] = []
    private var headIndex = 0
    private var threadCount = 0
    private var idleCount = 0
    private var isClosed = false

    init(threadCountMax: Int) {
        self.threadCountMax = threadCountMax
        unsafe mutex = .allocate(capacity: 1)
        unsafe wake = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(wake, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(wake)
        unsafe mutex.deallocate()
        unsafe wake.deallocate()
    }

    /// Adds work at the end, and a thread where all are busy and the limit allows one more.
    func append(_ work: @escaping @Sendable () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        waiting.append(work)
        let needsThread = idleCount < waiting.count - headIndex && threadCount < threadCountMax
        let wakesThread = !needsThread && idleCount > 0
        if needsThread { threadCount += 1 }
        unsafe pthread_mutex_unlock(mutex)
        if needsThread { startThread() }
        // Without the mutex, which the thread would have to wait for as soon as it is awake.
        if wakesThread { unsafe pthread_cond_signal(wake) }
    }

    /// Lets the threads end once everything in the queue has run.
    func close() {
        unsafe pthread_mutex_lock(mutex)
        isClosed = true
        unsafe pthread_cond_broadcast(wake)
        unsafe pthread_mutex_unlock(mutex)
    }

    private func startThread() {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        let status = unsafe pthread_create(&thread, nil, threadMain, context)
        if status == 0 {
            pthread_detach(thread)
        } else {
            unsafe Unmanaged<WorkQueue>.fromOpaque(context).release()
            threadCouldNotStart()
        }
    }

    /// Gives the place of a thread that the system refused back; the others, or this caller, do its work.
    private func threadCouldNotStart() {
        unsafe pthread_mutex_lock(mutex)
        threadCount -= 1
        let isAlone = threadCount == 0
        unsafe pthread_mutex_unlock(mutex)
        if isAlone { drainUntilEmpty() }
    }

    /// What a thread does: takes work in order until the queue is closed and empty.
    fileprivate func drain() {
        while let work = next(waits: true) { work() }
    }

    private func drainUntilEmpty() {
        while let work = next(waits: false) { work() }
    }

    private func next(waits: Bool) -> Work? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while headIndex == waiting.count {
            guard waits, !isClosed else { return nil }
            idleCount += 1
            unsafe pthread_cond_wait(wake, mutex)
            idleCount -= 1
        }
        let work = waiting[headIndex]
        headIndex += 1
        removeTakenWork()
        return work
    }

    /// Moves the rest forward once half of the array has been taken, so that each entry moves once on
    /// average.
    private func removeTakenWork() {
        waiting[headIndex - 1] = {}
        guard headIndex * 2 >= waiting.count else { return }
        waiting.removeFirst(headIndex)
        headIndex = 0
    }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // The pointer is the queue that `startThread` retained for this thread.
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<WorkQueue>.fromOpaque(context).takeRetainedValue().drain()
    return nil
}
