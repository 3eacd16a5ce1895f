internal import CThreadCalls
internal import Synchronization

/// Tells work on a thread to end before it is done.
///
/// It belongs to a run, not to the values that the work is given: what they lead to, such as the later frames
/// of an animation, is another run. The thread knows it while the work runs, so that loops far below look at
/// it without being handed it: C code by `calotype_thread_is_stopped`, Swift by ``currentReason``. A look
/// costs about a nanosecond.
// Unchecked because the compiler knows no pointer to be shared safely; the word is only reached atomically.
@safe package final class WorkStop: @unchecked Sendable {
    /// Why work ends before it is done, or does not begin.
    package enum Reason: UInt32, Sendable {
        /// Nobody waits for it any more.
        case cancelled = 1
        /// It has taken as long as it may.
        case timedOut
        /// Too much work of its kind has taken too long and has still not ended.
        case refused
    }

    /// The word, and behind it the milliseconds that the work has been granted beside its own.
    private let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 2)
    /// What a part of the work looks at that has a time of its own.
    private let part = Guarded<WorkStop?>(nil)

    /// That of the calling thread which bounds no time.
    @TaskLocal private static var timeless: WorkStop?

    package init() {
        unsafe word.initialize(to: Atomic(0))
        unsafe (word + 1).initialize(to: Atomic(0))
    }

    deinit {
        unsafe word.deinitialize(count: 2)
        unsafe word.deallocate()
    }

    /// Why the work is to end; `nil` where it may go on.
    package var reason: Reason? { unsafe Reason(rawValue: word.pointee.load(ordering: .acquiring)) }

    /// Tells the work to end; the first reason stays.
    package func stop(_ reason: Reason) {
        _ = unsafe word.pointee.compareExchange(
            expected: 0,
            desired: reason.rawValue,
            ordering: .acquiringAndReleasing
        )
        part.withLock { $0 }?.stop(reason)
    }

    /// Has a part of the work told to end with it.
    private func include(_ stop: WorkStop?) {
        part.withLock { $0 = stop }
        // Told before its lock is taken, so either it is seen here or the part is seen there.
        if let reason { stop?.stop(reason) }
    }

    /// What ``grant(_:)`` has given since the last time; zero where nothing.
    package func takeGrant() -> Duration {
        .milliseconds(unsafe (word + 1).pointee.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Runs work on the calling thread that looks at this.
    package func governing<Value, Failure: Error>(
        _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let former = unsafe calotype_thread_stop_word()
        unsafe calotype_thread_set_stop_word(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self))
        defer { unsafe calotype_thread_set_stop_word(former) }
        return try work()
    }

    /// Runs work as ``governing(_:)`` that may take as long as it takes; its parts may not, where they have
    /// times of their own (``limiting(to:_:)``).
    package func governingTimeless<Value>(_ work: () throws -> Value) throws -> Value {
        try Self.$timeless.withValue(self) { try governing(work) }
    }
}

extension WorkStop {
    /// Why the work of the calling thread is to end; `nil` where it may go on.
    package static var currentReason: Reason? {
        guard let word = unsafe calotype_thread_stop_word() else { return nil }
        let value = unsafe UnsafeRawPointer(word).assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .load(ordering: .acquiring)
        return Reason(rawValue: value)
    }

    /// Gives the work of the calling thread so much more time, at most a day, such as for waiting until
    /// something else is done; where its time is measured on this thread.
    package static func grant(_ duration: Duration) {
        guard let word = unsafe calotype_thread_stop_word() else { return }
        let milliseconds = UInt32(min(max(.zero, duration), .seconds(86_400)) / .milliseconds(1))
        unsafe (UnsafeRawPointer(word).assumingMemoryBound(to: Atomic<UInt32>.self) + 1).pointee
            .store(milliseconds, ordering: .releasing)
    }

    /// Notes that the work of the calling thread has waited until something else was done.
    package static func noteWait(_ duration: Duration) {
        calotype_thread_note_wait(UInt64(max(.zero, duration) / .nanoseconds(1)))
    }

    /// For how long the work of the calling thread has waited so far, as far as it was noted.
    package static var waited: Duration { .nanoseconds(Int64(clamping: calotype_thread_waited())) }

    /// Runs work on the calling thread that is told to end after a while, unless it is part of work whose
    /// time somebody else bounds.
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
    /// Has all further work of the calling thread look at a word of memory that another process writes by
    /// ``tell(_:at:)``, and that stays.
    package static func follow(_ word: UnsafeRawPointer) {
        unsafe calotype_thread_set_stop_word(word.assumingMemoryBound(to: UInt32.self))
    }

    /// Writes a reason for the work of another process to end, or none.
    package static func tell(_ reason: Reason?, at word: UnsafeMutableRawPointer) {
        unsafe word.assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .store(reason?.rawValue ?? 0, ordering: .releasing)
    }
}
