internal import CalotypeLoading
internal import CalotypeSupport

/// What is known of a piece of work while it runs, for those who look on.
protocol WorkBoard: AnyObject, Sendable {
    init()

    /// The work has ended; nothing more will be known.
    func end()
}

/// A board for work that nobody looks on at.
final class NoBoard: WorkBoard {
    func end() {}
}

/// Runs a piece of work once for all that ask for it at the same time.
///
/// Every call ends exactly once: with the value, the work's error, or `CancellationError`. A caller's
/// continuation is taken out of the table under the lock before it is called, so nobody can call it again.
/// The cancellation of the last waiter cancels the work; that of any other disturbs nobody. The work's
/// priority is the greatest of its waiters', as it is at each moment.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable, Board: WorkBoard>: Sendable {
    /// What a piece of work is given.
    struct Context: Sendable {
        /// How urgent it is.
        let priority: LivePriority
        /// Where it says how it is getting on.
        let board: Board
        fileprivate let handOver: @Sendable (Value, Value) -> Void

        /// Hands the value to all that wait; what the work does after that, nobody waits for.
        ///
        /// - Parameters:
        ///   - value: What those get who wait.
        ///   - later: What those get who ask from now on until the work ends; held until then.
        func deliver(_ value: Value, later: Value) { handOver(value, later) }
    }

    /// The work: it returns its value; or it delivers it, goes on, and returns `nil`; or it throws before it
    /// has delivered.
    ///
    /// A value that is returned goes to those who wait and to nobody after them; one that is delivered is
    /// there for later callers until the work ends.
    typealias Operation = @Sendable (Context) async throws -> Value?

    private typealias Continuation = @Sendable (Result<Value, any Error>) -> Void

    private struct Running: Sendable {
        let context: Context
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private struct State: Sendable {
        var coalescer = Coalescer<Key, Value>()
        var continuations: [Int: Continuation] = [:]
        var running: [Int: Running] = [:]
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        var nextWaiterID = 0
        var isClosed = false
    }

    private let state = Guarded(State())

    /// The value of the work for a key, which `operation` starts where none runs.
    ///
    /// - Parameters:
    ///   - key: Everything that the work depends on.
    ///   - priority: How urgent it is to this caller; may change while it waits.
    ///   - onJoin: Called at once with the board of the work.
    ///   - operation: The work.
    /// - Returns: The value.
    /// - Throws: What the work throws, or `CancellationError`.
    func value(
        for key: Key,
        priority: LivePriority = LivePriority(),
        onJoin: ((Board) -> Void)? = nil,
        startedBy operation: @escaping Operation
    ) async throws -> Value {
        let waiter = state.withLock { state in
            state.nextWaiterID += 1
            return state.nextWaiterID
        }
        let observation = priority.observe { [weak self] _ in self?.setPriority(priority.value, of: waiter) }
        defer { priority.stopObserving(observation) }
        return try await withTaskCancellationHandler {
            try await handedOver { continuation in
                let joined = priority.value
                if let board = join(key, waiter: waiter, joined, continuation, operation) { onJoin?(board) }
                // A change between reading the priority and joining has found no waiter.
                if priority.value != joined { setPriority(priority.value, of: waiter) }
            }.get()
        } onCancel: {
            leave(waiter)
        }
    }

    /// How many callers wait.
    var waiterCount: Int { state.withLock { $0.continuations.count } }

    /// Starts no work any more, and cancels what runs; its waiters get `CancellationError`.
    ///
    /// Whoever asks after that gets ``LoadError`` with the code `closed`.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            for id in state.running.keys { state.running[id]?.isCancelled = true }
            return state.running.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until no work runs, also none that has delivered and is still writing.
    func untilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard !state.coalescer.isIdle else { return true }
                state.idleWaiters.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Adds a waiter, and returns the board of the work that it waits for.
    private func join(
        _ key: Key,
        waiter: Int,
        _ priority: LoadPriority,
        _ continuation: @escaping Continuation,
        _ operation: @escaping Operation
    ) -> Board? {
        // A cancellation that came before this line found no continuation to resume, so it is looked for
        // here. One that comes after finds it.
        let (joining, context) = state.withLock { state -> (Coalescer<Key, Value>.Joining?, Context?) in
            guard !Task.isCancelled, !state.isClosed else { return (nil, nil) }
            let joining = state.coalescer.join(key, waiter: waiter, priority: priority)
            switch joining {
            case .take(_, from: let id):
                return (joining, state.running[id]?.context)
            case .wait(let id):
                state.continuations[waiter] = continuation
                return (joining, state.running[id]?.context)
            case .start(let id):
                state.continuations[waiter] = continuation
                let context = makeContext(id, priority)
                state.running[id] = Running(context: context)
                return (joining, context)
            }
        }
        switch joining {
        case nil: continuation(.failure(Task.isCancelled ? CancellationError() : Self.closed))
        case .take(let value, from: _): continuation(.success(value))
        case .wait(let id): if let context, context.priority.value < priority { raisePriority(of: id) }
        case .start(let id): if let context { start(id, context, operation) }
        }
        return context?.board
    }

    private static var closed: LoadError {
        LoadError(stage: .load, underlying: FetchError(.closed, detail: "the pipeline has been shut down"))
    }

    private func makeContext(_ id: Int, _ priority: LoadPriority) -> Context {
        Context(priority: LivePriority(priority), board: Board()) { self.deliver($0, later: $1, from: id) }
    }

    private func start(_ id: Int, _ context: Context, _ operation: @escaping Operation) {
        // Detached: what one caller's task carries along, a user or a trace, is not that of all who share.
        let task = Task.detached(priority: Task.currentPriority) {
            var outcome: Result<Value, any Error> = .failure(CancellationError())
            do {
                if let value = try await operation(context) { outcome = .success(value) }
            } catch {
                outcome = .failure(error)
            }
            self.finish(id, outcome)
            // Whoever waits for the end starts anew from here on.
            context.board.end()
        }
        // The work may have ended, or its only waiter may have left, before its task could be noted.
        let isAbandoned = state.withLock { state in
            guard var running = state.running[id] else { return false }
            running.task = task
            state.running[id] = running
            return running.isCancelled
        }
        if isAbandoned { task.cancel() }
    }

    private func setPriority(_ priority: LoadPriority, of waiter: Int) {
        if let id = state.withLock({ $0.coalescer.setPriority(priority, of: waiter) }) {
            raisePriority(of: id)
        }
    }

    /// Gives work the greatest priority of its waiters; outside of the lock, since others look on.
    private func raisePriority(of id: Int) {
        let read = {
            self.state.withLock { ($0.coalescer.priority(of: id), $0.running[id]?.context) }
        }
        var (priority, context) = read()
        while let current = priority, let context {
            context.priority.value = current
            // Whoever set an older value in between is corrected by whoever comes last.
            priority = read().0 == current ? nil : read().0
        }
    }

    private func leave(_ waiter: Int) {
        let (continuation, task, id) = state.withLock { state -> (Continuation?, Task<Void, Never>?, Int?) in
            // Without a continuation the waiter has its answer already, or has not joined yet and will see
            // for itself.
            guard let continuation = state.continuations.removeValue(forKey: waiter) else {
                return (nil, nil, nil)
            }
            switch state.coalescer.leave(waiter) {
            case .keep(let id):
                return (continuation, nil, id)
            case .cancel(let id):
                state.running[id]?.isCancelled = true
                return (continuation, state.running[id]?.task, nil)
            }
        }
        task?.cancel()
        if let id { raisePriority(of: id) }
        continuation?(.failure(CancellationError()))
    }

    private func deliver(_ value: Value, later: Value, from id: Int) {
        let continuations = state.withLock { state in
            state.coalescer.deliver(later, from: id).compactMap {
                state.continuations.removeValue(forKey: $0)
            }
        }
        for continuation in continuations { continuation(.success(value)) }
    }

    private func finish(_ id: Int, _ outcome: Result<Value, any Error>) {
        let (continuations, idleWaiters) = state.withLock { state in
            let waiters = state.coalescer.finish(id)
            state.running[id] = nil
            let continuations = waiters.compactMap { state.continuations.removeValue(forKey: $0) }
            guard state.coalescer.isIdle else { return (continuations, [CheckedContinuation<Void, Never>]()) }
            defer { state.idleWaiters = [] }
            return (continuations, state.idleWaiters)
        }
        for continuation in continuations { continuation(outcome) }
        for waiter in idleWaiters { waiter.resume() }
    }
}
