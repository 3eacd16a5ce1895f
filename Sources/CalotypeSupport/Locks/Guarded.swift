/// State that is only accessed under a lock.
///
/// The closure is the critical section. It must not call out, wait or release a caller's object, and must not
/// take the same lock again, which would deadlock. The thread sanitizer does not understand a futex and
/// reports races for correctly locked state, so a build with `-DTHREAD_SANITIZER` uses a pthread mutex
/// instead.
#if THREAD_SANITIZER
// Unchecked because the pointers are plain memory to the compiler; they are only followed under the mutex.
@usableFromInline @safe
package struct Guarded<State>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>

    package init(_ initialState: consuming sending State) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe state = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe state.initialize(to: initialState)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe state.deinitialize(count: 1)
        unsafe mutex.deallocate()
        unsafe state.deallocate()
    }

    /// Runs a closure with exclusive access to the state.
    @usableFromInline
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&state.pointee)
    }
}
#else
/// Inlinable because a closure that is not specialised costs several times as much as the lock.
// Unchecked because the pointers are plain memory to the compiler; the state is only accessed under the lock.
@usableFromInline @safe
package struct Guarded<State>: ~Copyable, @unchecked Sendable {
    /// The lock word and the state share one allocation, so that they mostly share a cache line.
    @usableFromInline let lock: FutexLock
    @usableFromInline let state: UnsafeMutablePointer<State>

    @inlinable
    package init(_ initialState: consuming sending State) {
        let offset = max(FutexLock.byteCount, MemoryLayout<State>.alignment)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<State>.size,
            alignment: offset
        )
        unsafe lock = FutexLock(in: memory)
        unsafe state = (memory + offset).bindMemory(to: State.self, capacity: 1)
        unsafe state.initialize(to: initialState)
    }

    @inlinable
    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(lock.word).deallocate()
    }

    /// Runs a closure with exclusive access to the state.
    @inlinable @inline(__always)
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try unsafe body(&state.pointee)
    }
}
#endif
