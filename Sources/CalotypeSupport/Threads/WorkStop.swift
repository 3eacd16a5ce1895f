internal import CThreadCalls
internal import Synchronization

/// Stops work on a thread before it is done.
///
/// A stop belongs to a run, not to the values that the work receives: a later use of its results, such as
/// further frames of an animation, is another run. The thread stores the stop while the work runs, so nested
/// loops can check it without a parameter: C code with `calotype_thread_is_stopped`, Swift with
/// ``currentReason``. A check costs about a nanosecond.
// Unchecked because the compiler cannot prove that a pointer is shared safely; the word is only accessed
// atomically.
@safe package final class WorkStop: @unchecked Sendable {
    /// The reason why work ends before it is done, or does not start.
    package enum Reason: UInt32, Sendable {
        /// No task waits for the result any more.
        case cancelled = 1
        /// The work exceeded its time limit.
        case timedOut
        /// Too much work of its kind exceeded its time limit and is still running.
        case refused
    }

    /// The word, followed by the extra milliseconds that the work has been granted.
    private let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 2)
    /// The stop of a part of the work with a time limit of its own.
    private let part = Guarded<WorkStop?>(nil)

    /// The stop of the calling thread, if it sets no time limit.
    @TaskLocal private static var timeless: WorkStop?

    package init() {
        unsafe word.initialize(to: Atomic(0))
        unsafe (word + 1).initialize(to: Atomic(0))
    }

    deinit {
        unsafe word.deinitialize(count: 2)
        unsafe word.deallocate()
    }

    /// The reason why the work has to end; `nil` while it may continue.
    package var reason: Reason? { unsafe Reason(rawValue: word.pointee.load(ordering: .acquiring)) }

    /// Stops the work; the first reason stays.
    package func stop(_ reason: Reason) {
        _ = unsafe word.pointee.compareExchange(
            expected: 0,
            desired: reason.rawValue,
            ordering: .acquiringAndReleasing
        )
        part.withLock { $0 }?.stop(reason)
    }

    /// Stops a part of the work together with it.
    private func include(_ stop: WorkStop?) {
        part.withLock { $0 = stop }
        // The reason is set before the lock is taken, so either it is seen here or the part is seen there.
        if let reason { stop?.stop(reason) }
    }

    /// Returns and clears the time granted by ``grant(_:)`` since the last call.
    package func takeGrant() -> Duration {
        .milliseconds(unsafe (word + 1).pointee.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Runs work on the calling thread that this can stop.
    package func governing<Value, Failure: Error>(
        _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let former = unsafe calotype_thread_stop_word()
        unsafe calotype_thread_set_stop_word(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self))
        defer { unsafe calotype_thread_set_stop_word(former) }
        return try work()
    }

    /// Runs work as ``governing(_:)`` without a time limit; its parts may have limits of their own
    /// (``limiting(to:_:)``).
    package func governingTimeless<Value>(_ work: () throws -> Value) throws -> Value {
        try Self.$timeless.withValue(self) { try governing(work) }
    }
}

extension WorkStop {
    /// The reason why the work of the calling thread has to end; `nil` while it may continue.
    package static var currentReason: Reason? {
        guard let word = unsafe calotype_thread_stop_word() else { return nil }
        let value = unsafe UnsafeRawPointer(word).assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .load(ordering: .acquiring)
        return Reason(rawValue: value)
    }

    /// Extends the time limit of the calling thread's work by at most a day, such as for waiting on other
    /// work.
    ///
    /// Only has an effect if the limit is measured on this thread.
    package static func grant(_ duration: Duration) {
        guard let word = unsafe calotype_thread_stop_word() else { return }
        let milliseconds = UInt32(min(max(.zero, duration), .seconds(86_400)) / .milliseconds(1))
        unsafe (UnsafeRawPointer(word).assumingMemoryBound(to: Atomic<UInt32>.self) + 1).pointee
            .store(milliseconds, ordering: .releasing)
    }

    /// Records time that the work of the calling thread spent waiting for other work.
    package static func noteWait(_ duration: Duration) {
        calotype_thread_note_wait(UInt64(max(.zero, duration) / .nanoseconds(1)))
    }

    /// The recorded waiting time of the calling thread's work so far.
    package static var waited: Duration { .nanoseconds(Int64(clamping: calotype_thread_waited())) }

    /// Runs work on the calling thread with a time limit, unless it is part of work whose time is limited
    /// already.
    package static func limiting<Value, Failure: Error>(
        to duration: Duration,
        _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let word = unsafe calotype_thread_stop_word()
        let whole = timeless.flatMap { unsafe UnsafeRawPointer($0.word) == UnsafeRawPointer(word) ? $0 : nil }
        guard unsafe word == nil || whole != nil else { return try work() }
        let stop = WorkStop()
        whole?.include(stop)
        defer { whole?.include(nil) }
        let alarm = Alarms.shared.set(after: duration, extending: { stop.takeGrant() }) {
            stop.stop(.timedOut)
        }
        defer { Alarms.shared.cancel(alarm) }
        return try stop.governing(work)
    }
}

extension WorkStop {
    /// Makes all further work of the calling thread check a word of memory that another process writes with
    /// ``tell(_:at:)``; the memory must stay valid.
    package static func follow(_ word: UnsafeRawPointer) {
        unsafe calotype_thread_set_stop_word(word.assumingMemoryBound(to: UInt32.self))
    }

    /// Writes a reason for the work of another process to stop, or none.
    package static func tell(_ reason: Reason?, at word: UnsafeMutableRawPointer) {
        unsafe word.assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .store(reason?.rawValue ?? 0, ordering: .releasing)
    }
}
