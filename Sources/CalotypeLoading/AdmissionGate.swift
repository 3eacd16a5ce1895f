import CalotypeSupport

/// Holds loads, or other work, back until the queue lets them start.
package final class AdmissionGate: Sendable {
    /// The right to load; given back by ``end()`` or with the last reference.
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

        /// Whether it has been given back.
        var hasEnded: Bool { ticket.withLock { $0 == nil } }

        /// Gives the right back; a second call does nothing.
        package func end() {
            if let ticket = ticket.withLock({ $0.take() }) {
                gate.leave(ticket)
            }
        }
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>
    private typealias Closer = CheckedContinuation<Void, Never>

    private struct State {
        var queue: AdmissionQueue
        var ticketCount = 0
        var isClosed = false
        var startedCount = 0
        var endedCount = 0
        var waiters: [AdmissionQueue.Ticket: Waiter] = [:]
        var closers: [Int: Closer] = [:]
    }

    private let state: Guarded<State>

    init(_ queue: AdmissionQueue) {
        state = Guarded(State(queue: queue))
    }

    /// Creates a gate that lets so many in at once, the most urgent and oldest first, and so many wait; any
    /// number unless given.
    package convenience init(countMax: Int, waitingCountMax: Int = .max) {
        self.init(
            AdmissionQueue(
                runningCountMax: countMax,
                runningCountPerHostMax: countMax,
                waitingCountMax: waitingCountMax,
                order: .oldestFirst
            )
        )
    }

    /// The most that are inside at once.
    package var countMax: Int { state.withLock(\.queue.runningCountMax) }

    /// The most that wait; `nil` for any number.
    package var waitingCountMax: Int? {
        let countMax = state.withLock(\.queue.waitingCountMax)
        return countMax == .max ? nil : countMax
    }

    /// How many wait.
    package var waitingCount: Int { state.withLock(\.queue.waitingCount) }

    /// How many are inside.
    package var runningCount: Int { state.withLock(\.queue.runningCount) }

    /// How often somebody has been let in.
    package var startedCount: Int { state.withLock(\.startedCount) }

    /// How often somebody has left.
    package var endedCount: Int { state.withLock(\.endedCount) }

    /// What runs and waits for each host.
    var activity: LoaderActivity { state.withLock(\.queue.activity) }

    /// Waits for the right to load from a host; the priority may change meanwhile.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - priority: How urgent it is.
    ///   - isReturning: Whether it has been inside, and is not refused now.
    /// - Returns: The right.
    /// - Throws: ``FetchError/Code/overloaded``, ``FetchError/Code/closed``, or `CancellationError`.
    package func enter(
        host: String = "",
        _ priority: LivePriority,
        isReturning: Bool = false
    ) async throws -> Permit {
        let ticket = state.withLock { state in
            state.ticketCount += 1
            return AdmissionQueue.Ticket(number: state.ticketCount, host: host)
        }
        // Observed before it is read: no change falls in between.
        let observation = priority.observe { [weak self, weak priority] _ in
            if let self, let priority { self.change(ticket, to: priority) }
        }
        defer { priority.stopObserving(observation) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(ticket, priority, isReturning, $0) }
        } onCancel: {
            abandon(ticket)
        }
        return Permit(ticket, self)
    }

    /// The right to load, where nobody has to be waited for; `nil` otherwise.
    package func enterAtOnce(_ priority: LivePriority) -> Permit? {
        let ticket = state.withLock { state -> AdmissionQueue.Ticket? in
            guard !state.isClosed else { return nil }
            state.ticketCount += 1
            let ticket = AdmissionQueue.Ticket(number: state.ticketCount, host: "")
            switch state.queue.enter(ticket, priority.value) {
            case .start: return ticket
            case .wait: state.queue.abandon(ticket)
            case .overloaded: break
            }
            return nil
        }
        return ticket.map { Permit($0, self) }
    }

    /// Lets nobody in any more, and returns when nobody is inside, or at once where the calling task is
    /// cancelled.
    func close() async {
        let (waiters, number) = state.withLock { state in
            state.isClosed = true
            let waiters = state.waiters
            state.waiters = [:]
            for ticket in waiters.keys { state.queue.abandon(ticket) }
            state.ticketCount += 1
            return (waiters.values.map(\.self), state.ticketCount)
        }
        for waiter in waiters { waiter.resume(throwing: Self.closed) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { wait(number, $0) }
        } onCancel: {
            state.withLock { $0.closers.removeValue(forKey: number) }?.resume()
        }
    }

    /// Every waiter is resumed by whoever removes it from the state, and by nobody else.
    private func enter(
        _ ticket: AdmissionQueue.Ticket,
        _ priority: LivePriority,
        _ isReturning: Bool,
        _ waiter: Waiter
    ) {
        let result: Result<Void, any Error>? = state.withLock { state in
            // The handler of a cancellation takes the lock after the flag is set: either the flag is seen
            // here, or the handler finds the waiter.
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
    }

    /// Reads the priority under the lock, so that of two changes at once the later one stays.
    private func change(_ ticket: AdmissionQueue.Ticket, to priority: LivePriority) {
        let waiter = state.withLock { state in
            state.queue.change(ticket, to: priority.value).flatMap { state.waiters.removeValue(forKey: $0) }
        }
        waiter?.resume()
    }

    private func abandon(_ ticket: AdmissionQueue.Ticket) {
        let waiter = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: ticket)
            if waiter != nil { state.queue.abandon(ticket) }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }

    private func leave(_ ticket: AdmissionQueue.Ticket) {
        let (waiter, closers) = state.withLock { state -> (Waiter?, [Closer]) in
            state.endedCount += 1
            let waiter = state.queue.leave(ticket).flatMap { state.waiters.removeValue(forKey: $0) }
            guard state.isClosed, state.queue.runningCount == 0 else { return (waiter, []) }
            let closers = state.closers.values.map(\.self)
            state.closers = [:]
            return (waiter, closers)
        }
        waiter?.resume()
        for closer in closers { closer.resume() }
    }

    private func wait(_ number: Int, _ closer: Closer) {
        let isDone = state.withLock { state in
            if Task.isCancelled || state.queue.runningCount == 0 { return true }
            state.closers[number] = closer
            return false
        }
        if isDone { closer.resume() }
    }

    private static let closed = FetchError(.closed, detail: "the loader has been shut down")
    private static let overloaded = FetchError(
        .overloaded,
        isRetryable: true,
        detail: "too many loads wait already; ask again later or for fewer at once"
    )
}
