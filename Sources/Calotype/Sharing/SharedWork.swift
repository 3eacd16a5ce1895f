package import CalotypeLoading
internal import CalotypeSupport

/// The state of a piece of work while it runs, for its observers.
package protocol WorkProgress: AnyObject, Sendable {
    init()

    /// Called when the work has ended; there are no more changes.
    func end()

    /// The current step of the work; `nil` if unknown.
    var currentStep: String? { get }

    /// The number of the load that brings the content of the work; `nil` if unknown, or not begun.
    var loadNumber: Int? { get }

    /// True if the work has its result and only waits for the write.
    var onlyWrites: Bool { get }
}

extension WorkProgress {
    package var currentStep: String? { nil }

    package var loadNumber: Int? { nil }

    package var onlyWrites: Bool { false }
}

/// The progress of work without observers.
package final class NoProgress: WorkProgress {
    package init() {}

    package func end() {}
}

/// Runs a piece of work once for all concurrent callers.
///
/// Every call ends exactly once: with the value, the work's error, or `CancellationError`. A caller's
/// continuation is removed from the table under the lock before it is called, so it cannot be called twice.
/// The cancellation of the last waiter cancels the work; that of any other does not affect it. The work's
/// priority is always the highest of its waiters'.
package final class SharedWork<Key: Hashable & Sendable, Value: Sendable, Progress: WorkProgress>: Sendable {
    /// The arguments of a piece of work.
    package struct Context: Sendable {
        package let priority: LivePriority
        /// The progress of the work, for observers.
        package let progress: Progress
        fileprivate let handOver: @Sendable (Delivery) -> Bool

        /// Delivers the value to all waiters; no caller waits for the rest of the work.
        ///
        /// - Parameters:
        ///   - value: The value for the current waiters.
        ///   - later: The value for callers that join until the work ends; held until then.
        ///   - outlivesClosing: True to finish the rest of the work, such as a write, even when the pipeline
        ///     closes; true unless given.
        ///   - isFirst: True to deliver only if nothing has been delivered; false unless given.
        /// - Returns: False if something had been delivered before that this must not replace.
        @discardableResult
        func deliver(
            _ value: Value,
            later: Value,
            outlivesClosing: Bool = true,
            unlessDelivered isFirst: Bool = false
        ) -> Bool {
            handOver(
                Delivery(value: value, later: later, outlivesClosing: outlivesClosing, isFirst: isFirst)
            )
        }
    }

    fileprivate struct Delivery {
        let value: Value
        let later: Value
        let outlivesClosing: Bool
        let isFirst: Bool
    }

    /// The end of a piece of work.
    package enum Outcome: Sendable {
        /// The value for the current waiters.
        case value(Value)
        /// The value was delivered before, and was available to later callers until the end.
        case delivered
    }

    /// The work: returns its value; or delivers it and continues; or throws before it delivers.
    package typealias Operation = @Sendable (Context) async throws -> Outcome

    private typealias Continuation = @Sendable (Result<Value, any Error>) -> Void

    private struct Running: Sendable {
        let context: Context
        let subject: LoadContext?
        var task: Task<Void, Never>?
        var isCancelled = false
        var outlivesClosing = false
    }

    private struct State: Sendable {
        var coalescer = Coalescer<Key, Value>()
        var continuations: [Int: Continuation] = [:]
        var running: [Int: Running] = [:]
        var idleWaiters = WaitList<Void>()
        var nextWaiterID = 0
        var isClosed = false
    }

    private let state = Guarded(State())
    /// Called before callers get a value, with their number.
    private let beforeHandOver: @Sendable (Value, Int) -> Void

    /// Creates shared work; none is running.
    ///
    /// - Parameter beforeHandOver: Called with each value and the number of callers that get it, before any
    ///   of them has it.
    package init(beforeHandOver: @escaping @Sendable (Value, Int) -> Void = { _, _ in }) {
        self.beforeHandOver = beforeHandOver
    }

    /// Returns the value of the work for a key; `operation` starts it if none is running.
    ///
    /// - Parameters:
    ///   - key: The parameters that determine the work.
    ///   - subject: The load that the work is for, to list running requests.
    ///   - priority: The priority of this caller, which may change during the wait.
    ///   - limit: The time limit of this caller; `nil` for none.
    ///   - whole: The time limit that the error names, if the call has begun before.
    ///   - newest: The number of the load that brought the newest known content: work that waits for an older
    ///     load is not joined.
    ///   - accepts: True if a delivered value is acceptable to this caller; called with a lock held.
    ///   - onShare: Called if another caller has started the work.
    ///   - onJoin: Called at once with the progress of the work, before work of this caller begins.
    ///   - operation: The work.
    /// - Returns: The value.
    /// - Throws: The error of the work, `CancellationError`, or ``LoadError`` when the time is up.
    package func value(
        for key: Key,
        of subject: LoadContext? = nil,
        priority: LivePriority = LivePriority(),
        atMost limit: Duration? = nil,
        ofCall whole: Duration? = nil,
        since newest: Int = 0,
        accepts: (Value) -> Bool = { _ in true },
        onShare: () -> Void = {},
        onJoin: ((Progress) -> Void)? = nil,
        startedBy operation: @escaping Operation
    ) async throws -> Value {
        let waiter = state.withLock { state in
            state.nextWaiterID += 1
            return state.nextWaiterID
        }
        let observation = priority.observe { [weak self] _ in self?.setPriority(priority.value, of: waiter) }
        var alarm: Int?
        defer {
            priority.stopObserving(observation)
            if let alarm { Alarms.shared.cancel(alarm) }
        }
        return try await withTaskCancellationHandler {
            try await handedOver { continuation in
                let joined = priority.value
                let asking = Asking(
                    key: key,
                    subject: subject,
                    waiter: waiter,
                    priority: joined,
                    newest: newest,
                    operation: operation
                )
                join(asking, accepts: accepts, onShare: onShare, onJoin: onJoin, continuation: continuation)
                alarm = limit.map { limit in
                    Alarms.shared.set(after: limit) { [weak self] in
                        // Elsewhere, because it calls cancellation handlers of loaders and stores.
                        Task.detached { self?.leave(waiter) { .timedOut(after: whole ?? limit, in: $0) } }
                    }
                }
                // A change between reading the priority and joining found no waiter.
                if priority.value != joined { setPriority(priority.value, of: waiter) }
            }.get()
        } onCancel: {
            leave(waiter) { _ in CancellationError() }
        }
    }

    /// True if work for a key is running that has not delivered.
    func isRunning(_ key: Key) -> Bool { state.withLock { $0.coalescer.isAwaitable(key) } }

    var subjects: [ImageRequest] {
        state.withLock { state in
            state.running.filter { state.coalescer.priority(of: $0.key) != nil }
                .compactMap(\.value.subject?.request)
        }
    }

    package var waiterCount: Int { state.withLock { $0.continuations.count } }

    /// Cancels all work that callers wait for; they get `CancellationError`.
    ///
    /// Later callers start new work. Work that has delivered, and writes or revalidates for later callers,
    /// continues, and so does work that only waits for its write.
    func cancelAll() {
        let ids = state.withLock(\.running).filter { !$0.value.context.progress.onlyWrites }.keys
        let waiters = state.withLock { state in ids.flatMap { state.coalescer.waiters(of: $0) } }
        for waiter in waiters { leave(waiter) { _ in CancellationError() } }
    }

    /// Starts no more work, and cancels running work, except delivered work that is to be finished; waiters
    /// get `CancellationError`.
    ///
    /// Later callers get ``LoadError`` with the code `closed`.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            let ids = state.running.filter { !$0.value.outlivesClosing }.map(\.key)
            for id in ids { state.running[id]?.isCancelled = true }
            return ids.compactMap { state.running[$0]?.task }
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until no work is running, not even delivered work that is still writing.
    ///
    /// - Parameter limit: The time limit of the wait; `nil` for none.
    /// - Returns: True if no work is running; false when the time is up, or the calling task is cancelled.
    @discardableResult
    func untilIdle(atMost limit: Duration? = nil) async -> Bool {
        let number = state.withLock { $0.coalescer.isIdle ? nil : $0.idleWaiters.enter() }
        guard let number else { return true }
        let alarm = limit.map { limit in
            Alarms.shared.set(after: limit) {
                self.state.withLock { $0.idleWaiters.take(number) }?.resume()
            }
        }
        defer { if let alarm { Alarms.shared.cancel(alarm) } }
        await state.wait(number, in: \.idleWaiters)
        return state.withLock(\.coalescer.isIdle)
    }

    private struct Asking {
        let key: Key
        let subject: LoadContext?
        let waiter: Int
        let priority: LoadPriority
        let newest: Int
        let operation: Operation
    }

    /// Adds a waiter, and starts the work if none is running.
    private func join(
        _ asking: Asking,
        accepts: (Value) -> Bool,
        onShare: () -> Void,
        onJoin: ((Progress) -> Void)?,
        continuation: @escaping Continuation
    ) {
        let (waiter, priority) = (asking.waiter, asking.priority)
        // A cancellation before this line found no continuation to resume, so it is checked here. A later one
        // finds the continuation.
        let (joining, context) = state.withLock { state -> (Coalescer<Key, Value>.JoinResult?, Context?) in
            guard !Task.isCancelled, !state.isClosed else { return (nil, nil) }
            let current = state.coalescer.current(asking.key).flatMap { state.running[$0] }
            let joining = state.coalescer.join(
                asking.key,
                waiter: waiter,
                priority: priority,
                mayWait: current?.context.progress.loadNumber.map { $0 >= asking.newest } ?? true,
                accepts: accepts
            )
            switch joining {
            case .take(_, from: let id):
                return (joining, state.running[id]?.context)
            case .wait(let id):
                state.continuations[waiter] = continuation
                return (joining, state.running[id]?.context)
            case .start(let id):
                state.continuations[waiter] = continuation
                let context = makeContext(id, priority)
                state.running[id] = Running(context: context, subject: asking.subject)
                return (joining, context)
            }
        }
        switch joining {
        case .take, .wait: onShare()
        case .start, nil: break
        }
        // Before the work begins, because it reports each event once.
        if let context { onJoin?(context.progress) }
        switch joining {
        case nil: continuation(.failure(Task.isCancelled ? CancellationError() : Self.closed))
        case .take(let value, from: _): continuation(.success(value))
        case .wait(let id): if let context, context.priority.value < priority { raisePriority(of: id) }
        case .start(let id): if let context { start(asking.operation, as: id, in: context) }
        }
    }

    private static var closed: LoadError {
        LoadError(stage: .load, underlying: FetchError(.closed, detail: "the pipeline has been shut down"))
    }

    private func makeContext(_ id: Int, _ priority: LoadPriority) -> Context {
        Context(priority: LivePriority(priority), progress: Progress()) {
            self.deliver($0, from: id)
        }
    }

    private func start(_ operation: @escaping Operation, as id: Int, in context: Context) {
        // Detached, because the task-local values of one caller, such as a user, must not apply to all that
        // share the work. The trace is carried over: the work belongs to the trace of the call that started
        // it.
        let trace = CallerTrace()
        let task = Task.detached(priority: Task.currentPriority) {
            let outcome: Result<Value, any Error> = await trace.carry {
                do {
                    // After a delivery only a caller that was not handed the value still waits.
                    guard case .value(let value) = try await operation(context) else {
                        throw CancellationError()
                    }
                    return .success(value)
                } catch {
                    return .failure(error)
                }
            }
            self.finish(id, outcome)
            // From here on, callers that wait for the end start new work.
            context.progress.end()
        }
        // The work may have ended, or its only waiter may have left, before its task was stored.
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

    /// Gives work the highest priority of its waiters; outside the lock, because observers are called.
    private func raisePriority(of id: Int) {
        let read = {
            self.state.withLock { ($0.coalescer.priority(of: id), $0.running[id]?.context) }
        }
        var (priority, context) = read()
        while let current = priority, let context {
            context.priority.value = current
            // If another thread has set an older value in between, the last one corrects it.
            priority = read().0 == current ? nil : read().0
        }
    }

    /// Ends a caller's wait with an error, which may name the step of the work.
    private func leave(_ waiter: Int, with error: (String?) -> any Error) {
        typealias Left = (Continuation?, Task<Void, Never>?, Int?, Context?)
        let (continuation, task, id, context) = state.withLock { state -> Left in
            // Without a continuation the waiter has its result already, or has not joined yet and will check
            // for the cancellation itself.
            guard let continuation = state.continuations.removeValue(forKey: waiter) else {
                return (nil, nil, nil, nil)
            }
            switch state.coalescer.leave(waiter) {
            case .keep(let id):
                return (continuation, nil, id, id.flatMap { state.running[$0]?.context })
            case .cancel(let id):
                state.running[id]?.isCancelled = true
                return (continuation, state.running[id]?.task, nil, state.running[id]?.context)
            }
        }
        let failure = continuation == nil ? nil : error(context?.progress.currentStep)
        task?.cancel()
        if let id { raisePriority(of: id) }
        if let failure { continuation?(.failure(failure)) }
    }

    private func deliver(_ delivery: Delivery, from id: Int) -> Bool {
        typealias Delivered = ([Continuation], LivePriority?)
        let delivered = state.withLock { state -> Delivered? in
            if delivery.isFirst, state.coalescer.hasDelivered(id) { return nil }
            state.running[id]?.outlivesClosing = delivery.outlivesClosing
            let continuations = state.coalescer.deliver(delivery.later, from: id).compactMap {
                state.continuations.removeValue(forKey: $0)
            }
            return (continuations, state.running[id]?.context.priority)
        }
        guard let (continuations, priority) = delivered else { return false }
        // No caller waits for the rest, not even for a write.
        if !delivery.outlivesClosing, let priority { priority.value = min(priority.value, .low) }
        beforeHandOver(delivery.value, continuations.count)
        for continuation in continuations { continuation(.success(delivery.value)) }
        return true
    }

    private func finish(_ id: Int, _ outcome: Result<Value, any Error>) {
        let (continuations, idleWaiters) = state.withLock { state in
            let waiters = state.coalescer.finish(id)
            state.running[id] = nil
            let continuations = waiters.compactMap { state.continuations.removeValue(forKey: $0) }
            return (continuations, state.coalescer.isIdle ? state.idleWaiters.take() : [])
        }
        if case .success(let value) = outcome { beforeHandOver(value, continuations.count) }
        for continuation in continuations { continuation(outcome) }
        for waiter in idleWaiters { waiter.resume() }
    }
}

extension Error where Self == LoadError {
    /// Returns the error of a call that has exceeded its time limit.
    static func timedOut(after limit: Duration, in step: String?) -> LoadError {
        let place = step.map { ", during \($0)" } ?? ""
        let detail = "no result within \(limit)\(place); ImageRequest.timeout sets how long a call waits"
        let failure = FetchError(.timedOut, isRetryable: true, detail: detail)
        var error = LoadError(stage: .load, underlying: failure)
        error.awaitedStep = step
        return error
    }
}
