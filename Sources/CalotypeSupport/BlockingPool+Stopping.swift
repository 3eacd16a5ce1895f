/// Work that may be told to end.
extension BlockingPool {
    /// Runs `work` on a thread of the pool, for at most a while, unless the calling task is cancelled.
    ///
    /// The caller is released at once when its task is cancelled, and when the time is up; the work is told
    /// to end by then (``WorkStop``), and does not begin where it has not. What it returns after that is
    /// dropped. A thread whose work goes on beyond its time is replaced, so that the pool keeps its width,
    /// and ends with its work. Where as many threads are held so as ``stuckCountMax``, further work of their
    /// kinds is refused until one ends.
    ///
    /// - Parameters:
    ///   - duration: How long it may take from when it begins.
    ///   - kind: What work is refused together; asked for on any thread, and only where that matters.
    ///   - failure: The error for a reason why the work has no result.
    ///   - work: The work.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, or the error for a reason.
    package func run<Value: Sendable, Failure: Error>(
        atMost duration: Duration,
        kind: @escaping @Sendable () -> String,
        failure: @escaping @Sendable (WorkStop.Reason) -> Failure,
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let piece = StoppableWork<Value, Failure>(failure: failure)
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

    /// How many threads are held by work that goes on beyond its time.
    package var stuckCount: Int { queue.stuckCount }

    /// From so many held threads on, work of the kinds that hold them is refused: the width, at least 2.
    package var stuckCountMax: Int { queue.stuckCountMax }
}

/// A piece of work and who waits for it; whatever comes first, its end or a reason to stop, is what is handed
/// over.
private final class StoppableWork<Value: Sendable, Failure: Error>: Sendable {
    typealias HandOver = @Sendable (Result<Value, Failure>) -> Void

    private let stop = WorkStop()
    private let failure: @Sendable (WorkStop.Reason) -> Failure
    /// Who waits; nobody before the beginning, and after something has been handed over.
    private let waiter = Guarded<HandOver?>(nil)

    init(failure: @escaping @Sendable (WorkStop.Reason) -> Failure) {
        self.failure = failure
    }

    /// Takes who waits, unless the work has been stopped already.
    func begin(_ handOver: @escaping HandOver) -> Bool {
        let reason = waiter.withLock { waiter in
            // Told before its lock is taken, so either it is seen here or the waiter is seen there.
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

    /// Runs the work, unless nobody waits for it any more.
    func run(
        atMost duration: Duration,
        onTimeOut: @escaping @Sendable () -> Void,
        _ work: () throws(Failure) -> Value
    ) {
        guard stop.reason == nil else { return }
        // Nothing holds the thread then.
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
