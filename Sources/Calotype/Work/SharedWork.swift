internal import CalotypeSupport

/// Runs a piece of work once for all that ask for it at the same time.
///
/// Every call ends exactly once: with the value, the work's error, or `CancellationError`. A caller's
/// continuation is taken out of the table under the lock before it is resumed, so nobody can resume it again.
/// The cancellation of the last waiter cancels the work; that of any other disturbs nobody.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Hands the value to all that wait; what the work does after that, nobody waits for.
    typealias Delivery = @Sendable (Value) -> Void

    /// The work: it returns its value; or it delivers it, goes on, and returns `nil`; or it throws before it
    /// has delivered.
    ///
    /// A value that is returned goes to those who wait and to nobody after them; one that is delivered is
    /// there for later callers until the work ends.
    typealias Operation = @Sendable (_ deliver: Delivery) async throws -> Value?

    private typealias Continuation = CheckedContinuation<Value, any Error>

    private struct State: Sendable {
        var coalescer = Coalescer<Key, Value>()
        var continuations: [Int: Continuation] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
        var cancelledWork: Set<Int> = []
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        var nextWaiterID = 0
    }

    private let state = Guarded(State())

    /// The value of the work for a key, which `operation` starts where none runs.
    func value(for key: Key, startedBy operation: @escaping Operation) async throws -> Value {
        let waiter = state.withLock { state in
            state.nextWaiterID += 1
            return state.nextWaiterID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(key, waiter: waiter, continuation: continuation, operation: operation)
            }
        } onCancel: {
            leave(waiter)
        }
    }

    /// How many callers wait.
    var waiterCount: Int { state.withLock { $0.continuations.count } }

    /// Cancels all work that has not delivered; its waiters get `CancellationError`.
    func cancelAll() {
        let tasks = state.withLock { state in Array(state.tasks.values) }
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

    private func join(_ key: Key, waiter: Int, continuation: Continuation, operation: @escaping Operation) {
        // A cancellation that came before this line found no continuation to resume, so it is looked for
        // here. One that comes after finds it.
        let joining: Coalescer<Key, Value>.Joining? = state.withLock { state in
            guard !Task.isCancelled else { return nil }
            let joining = state.coalescer.join(key, waiter: waiter)
            if case .take = joining { return joining }
            state.continuations[waiter] = continuation
            return joining
        }
        switch joining {
        case nil: continuation.resume(throwing: CancellationError())
        case .take(let value): continuation.resume(returning: value)
        case .wait: break
        case .start(let id): start(id, operation)
        }
    }

    private func start(_ id: Int, _ operation: @escaping Operation) {
        let task = Task {
            var outcome: Result<Value, any Error> = .failure(CancellationError())
            do {
                let value = try await operation { value in self.deliver(value, from: id) }
                if let value { outcome = .success(value) }
            } catch {
                outcome = .failure(error)
            }
            self.finish(id, outcome)
        }
        // The work may have ended, or its only waiter may have left, before its task could be noted.
        let isAbandoned = state.withLock { state in
            guard state.coalescer.isRunning(id) else { return false }
            state.tasks[id] = task
            return state.cancelledWork.contains(id)
        }
        if isAbandoned { task.cancel() }
    }

    private func leave(_ waiter: Int) {
        let (continuation, task) = state.withLock { state -> (Continuation?, Task<Void, Never>?) in
            // Without a continuation the waiter has its answer already, or has not joined yet and will see
            // for itself.
            guard let continuation = state.continuations.removeValue(forKey: waiter) else {
                return (nil, nil)
            }
            guard case .cancel(let id) = state.coalescer.leave(waiter) else { return (continuation, nil) }
            state.cancelledWork.insert(id)
            return (continuation, state.tasks[id])
        }
        task?.cancel()
        continuation?.resume(throwing: CancellationError())
    }

    private func deliver(_ value: Value, from id: Int) {
        let continuations = state.withLock { state in
            state.coalescer.deliver(value, from: id).compactMap {
                state.continuations.removeValue(forKey: $0)
            }
        }
        for continuation in continuations { continuation.resume(returning: value) }
    }

    private func finish(_ id: Int, _ outcome: Result<Value, any Error>) {
        let (continuations, idleWaiters) = state.withLock { state in
            let waiters = state.coalescer.finish(id)
            state.tasks[id] = nil
            state.cancelledWork.remove(id)
            let continuations = waiters.compactMap { state.continuations.removeValue(forKey: $0) }
            guard state.coalescer.isIdle else { return (continuations, [CheckedContinuation<Void, Never>]()) }
            defer { state.idleWaiters = [] }
            return (continuations, state.idleWaiters)
        }
        for continuation in continuations { continuation.resume(with: outcome) }
        for waiter in idleWaiters { waiter.resume() }
    }
}
