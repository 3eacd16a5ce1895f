import CalotypeSupport

/// A gate that suspends loads, or other work, until the queue admits them.
package final class AdmissionGate: Sendable {
    /// The right to run; returned by ``end()`` or with the last reference.
    package final class Permit: Sendable {
        private let gate: AdmissionGate
        private let ticket: Guarded<AdmissionQueue.Ticket?>

        fileprivate init(_ ticket: AdmissionQueue.Ticket, _ gate: AdmissionGate) {
            self.gate = gate
            self.ticket = Guarded(ticket)
            gate.state.withLock { $0.startedCount += 1 }
        }

        deinit {
            end()
        }

        /// Whether it has been returned.
        var hasEnded: Bool { ticket.withLock { $0 == nil } }

        /// Counts the permit for another host; false if that one is at its limit.
        package func move(to host: String) -> Bool {
            ticket.withLock { ticket in
                guard let held = ticket, let moved = gate.state.withLock({ $0.queue.move(held, to: host) })
                else { return false }
                ticket = moved
                return true
            }
        }

        /// Returns the permit; a second call has no effect.
        package func end() {
            if let ticket = ticket.withLock({ $0.take() }) {
                gate.leave(ticket)
            }
        }
    }

    /// The end of the time that a caller of ``AdmissionGate/enter(host:_:isReturning:within:)`` waits.
    package struct LateError: Error {}

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var queue: AdmissionQueue
        var ticketCount = 0
        var isClosed = false
        var startedCount = 0
        var endedCount = 0
        var waiters: [AdmissionQueue.Ticket: Waiter] = [:]
        /// The callers of ``close()``.
        var closers = WaitList<Void>()
    }

    private let state: Guarded<State>

    init(_ queue: AdmissionQueue) {
        state = Guarded(State(queue: queue))
    }

    /// Creates a gate that admits up to `maxCount` callers at once, the most urgent and oldest first; as many
    /// of one host, and unlimited waiters, unless given.
    package convenience init(maxCount: Int, maxCountPerHost: Int = .max, maxWaitingCount: Int = .max) {
        self.init(
            AdmissionQueue(
                maxRunningCount: maxCount,
                maxRunningCountPerHost: min(maxCount, maxCountPerHost),
                maxWaitingCount: maxWaitingCount,
                order: .oldestFirst
            )
        )
    }

    /// Gives a host limits of its own; its waiters do not count among those of the others.
    package func limit(_ host: String, maxCount: Int, maxWaitingCount: Int = .max) {
        state.withLock {
            $0.queue.limit(host, maxRunningCount: maxCount, maxWaitingCount: maxWaitingCount)
        }
    }

    /// The most permits in use at once.
    package var maxCount: Int { state.withLock(\.queue.maxRunningCount) }

    /// The most waiters; `nil` for no limit.
    package var maxWaitingCount: Int? {
        let maxCount = state.withLock(\.queue.maxWaitingCount)
        return maxCount == .max ? nil : maxCount
    }

    package var waitingCount: Int { state.withLock(\.queue.waitingCount) }

    /// The number of permits in use.
    package var runningCount: Int { state.withLock(\.queue.runningCount) }

    /// The number of permits in use for a host.
    func runningCount(of host: String) -> Int { state.withLock { $0.queue.runningCount(of: host) } }

    /// The number of permits ever granted.
    package var startedCount: Int { state.withLock(\.startedCount) }

    /// The number of permits ever returned.
    package var endedCount: Int { state.withLock(\.endedCount) }

    /// The running and waiting loads of each host.
    var activity: LoaderActivity { state.withLock(\.queue.activity) }

    /// Waits for a permit for a host; the priority may change meanwhile.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - priority: The priority.
    ///   - isReturning: Whether the caller had a permit before, so that a full queue does not refuse it.
    ///   - limit: The time limit of the wait; `nil` for none.
    /// - Returns: The permit.
    /// - Throws: ``FetchError/Code/overloaded``, ``FetchError/Code/closed``, ``LateError`` after the time
    ///   limit, or `CancellationError`.
    package func enter(
        host: String = "",
        _ priority: LivePriority,
        isReturning: Bool = false,
        within limit: Duration? = nil
    ) async throws -> Permit {
        let ticket = state.withLock { state in
            state.ticketCount += 1
            return AdmissionQueue.Ticket(number: state.ticketCount, host: host)
        }
        // Observed before it is read, so that no change is missed in between.
        let observation = priority.observe { [weak self, weak priority] _ in
            if let self, let priority { self.change(ticket, to: priority) }
        }
        defer { priority.stopObserving(observation) }
        var alarm: Int?
        defer { if let alarm { Alarms.shared.cancel(alarm) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                guard enter(ticket, priority, isReturning, waiter), let limit else { return }
                alarm = Alarms.shared.set(after: limit) { self.abandon(ticket, LateError()) }
            }
        } onCancel: {
            abandon(ticket, CancellationError())
        }
        return Permit(ticket, self)
    }

    /// Returns a permit for a host if one is available without waiting, otherwise `nil`.
    package func enterAtOnce(host: String = "", _ priority: LivePriority) -> Permit? {
        let ticket = state.withLock { state -> AdmissionQueue.Ticket? in
            guard !state.isClosed else { return nil }
            state.ticketCount += 1
            let ticket = AdmissionQueue.Ticket(number: state.ticketCount, host: host)
            return state.queue.enterAtOnce(ticket, priority.value) ? ticket : nil
        }
        return ticket.map { Permit($0, self) }
    }

    /// Refuses new callers, and returns once all permits have been returned, or at once if the calling task
    /// is cancelled.
    func close() async {
        let (waiters, number) = state.withLock { state in
            state.isClosed = true
            let waiters = state.waiters
            state.waiters = [:]
            for ticket in waiters.keys { state.queue.abandon(ticket) }
            let number = state.queue.runningCount == 0 ? nil : state.closers.enter()
            return (waiters.values.map(\.self), number)
        }
        for waiter in waiters { waiter.resume(throwing: Self.closed) }
        if let number { await state.wait(number, in: \.closers) }
    }

    /// Lets a caller enter; returns whether it waits.
    // A waiter is resumed exactly once, by the code that removes it from the state.
    private func enter(
        _ ticket: AdmissionQueue.Ticket,
        _ priority: LivePriority,
        _ isReturning: Bool,
        _ waiter: Waiter
    ) -> Bool {
        let result: Result<Void, any Error>? = state.withLock { state in
            // A cancellation handler takes the lock after the flag is set. So either the flag is seen here,
            // or the handler finds the waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.isClosed { return .failure(Self.closed) }
            switch state.queue.enter(ticket, priority.value, isReturning: isReturning) {
            case .start:
                return .success(())
            case .overloaded:
                return .failure(Self.overloaded)
            case .wait:
                state.waiters[ticket] = waiter
                return nil
            }
        }
        if let result { waiter.resume(with: result) }
        return result == nil
    }

    /// Reads the priority under the lock, so that the later of two concurrent changes applies.
    private func change(_ ticket: AdmissionQueue.Ticket, to priority: LivePriority) {
        let waiter = state.withLock { state in
            state.queue.change(ticket, to: priority.value).flatMap { state.waiters.removeValue(forKey: $0) }
        }
        waiter?.resume()
    }

    private func abandon(_ ticket: AdmissionQueue.Ticket, _ error: any Error) {
        let waiter = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: ticket)
            if waiter != nil { state.queue.abandon(ticket) }
            return waiter
        }
        waiter?.resume(throwing: error)
    }

    private func leave(_ ticket: AdmissionQueue.Ticket) {
        let (waiter, closers) = state.withLock { state in
            state.endedCount += 1
            let waiter = state.queue.leave(ticket).flatMap { state.waiters.removeValue(forKey: $0) }
            let isOver = state.isClosed && state.queue.runningCount == 0
            return (waiter, isOver ? state.closers.take() : [])
        }
        waiter?.resume()
        for closer in closers { closer.resume() }
    }

    private static let closed = FetchError(.closed, detail: "the loader has been shut down")
    /// The error of a caller that finds the queue full.
    package static let overloaded = FetchError(
        .overloaded,
        isRetryable: true,
        detail: "too many loads are queued; retry later or start fewer at once"
    )
}
