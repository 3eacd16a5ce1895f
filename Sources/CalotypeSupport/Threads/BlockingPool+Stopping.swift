extension BlockingPool {
    /// Runs `work` on a thread of the pool, for at most a given duration, unless the calling task is
    /// cancelled.
    ///
    /// The caller is released at once when its task is cancelled or the time is up. The work is then told to
    /// stop (``WorkStop``), does not start if it has not yet, and its later result is dropped. A thread whose
    /// work exceeds its time is replaced, so that the pool keeps its width, and ends with its work. While
    /// ``maxStuckCount`` threads are held this way, further work of their kinds is refused.
    ///
    /// - Parameters:
    ///   - duration: The time limit, counted from the start of the work.
    ///   - limit: The time limit of the caller, counted from the call; `nil` for none.
    ///   - kind: Returns the kind of the work; work of one kind is refused together. Called on any thread,
    ///     and only when the kind is needed.
    ///   - failure: Returns the error for a reason why the work has no result.
    ///   - work: The work.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`, or the error for a reason.
    package func run<Value: Sendable, Failure: Error>(
        atMost duration: Duration,
        within limit: Duration? = nil,
        kind: @escaping @Sendable () -> String,
        failure: @escaping @Sendable (WorkStop.Reason) -> Failure,
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let piece = StoppableWork<Value, Failure>(failure: failure)
        let alarm = limit.map { Alarms.shared.set(after: $0) { piece.stop(.timedOut) } }
        defer { if let alarm { Alarms.shared.cancel(alarm) } }
        let outcome: Result<Value, Failure> = await withTaskCancellationHandler {
            await handedOver { handOver in
                guard piece.begin(handOver) else { return }
                queue.append({ [queue] turn in
                    if queue.refuses(kind) { return piece.stop(.refused) }
                    piece.run(atMost: duration, onTimeOut: { queue.replace(turn, kind()) }, work)
                })
            }
        } onCancel: {
            piece.stop(.cancelled)
        }
        return try outcome.get()
    }

    /// The number of threads held by work that exceeds its time.
    package var stuckCount: Int { queue.stuckCount }

    /// The number of held threads from which work of their kinds is refused: the width, at least 2.
    package var maxStuckCount: Int { queue.maxStuckCount }
}

/// A unit of work and its waiter, which receives either the result or a reason to stop, whichever comes
/// first.
private final class StoppableWork<Value: Sendable, Failure: Error>: Sendable {
    typealias HandOver = @Sendable (Result<Value, Failure>) -> Void

    private let stop = WorkStop()
    private let failure: @Sendable (WorkStop.Reason) -> Failure
    /// The waiter; `nil` before the start, and after something has been handed over.
    private let waiter = Guarded<HandOver?>(nil)

    init(failure: @escaping @Sendable (WorkStop.Reason) -> Failure) {
        self.failure = failure
    }

    /// Registers the waiter, unless the work has been stopped already.
    func begin(_ handOver: @escaping HandOver) -> Bool {
        let reason = waiter.withLock { waiter in
            // The reason is set before this lock is taken, so either it is seen here or the waiter is seen
            // there.
            let reason = stop.reason
            if reason == nil { waiter = handOver }
            return reason
        }
        if let reason { handOver(.failure(failure(reason))) }
        return reason == nil
    }

    func stop(_ reason: WorkStop.Reason) {
        stop.stop(reason)
        take()?(.failure(failure(reason)))
    }

    /// Runs the work, unless it has no waiter any more.
    func run(
        atMost duration: Duration,
        onTimeOut: @escaping @Sendable () -> Void,
        _ work: () throws(Failure) -> Value
    ) {
        guard stop.reason == nil else { return }
        // Without time, the work does not occupy the thread.
        guard duration > .zero else { return stop(.timedOut) }
        let alarm = Alarms.shared.set(after: duration, extending: { [stop] in stop.takeGrant() }) {
            onTimeOut()
            self.stop(.timedOut)
        }
        let result = stop.governing { Result { () throws(Failure) in try work() } }
        Alarms.shared.cancel(alarm)
        take()?(result)
    }

    private func take() -> HandOver? {
        waiter.withLock { $0.take() }
    }
}
