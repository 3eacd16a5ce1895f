internal import CalotypeLoading

/// Decides which requests share one piece of work: a pure value, driven by ``SharedWork``.
///
/// A piece of work has a key and waiters. It starts with its first waiter, and is abandoned when the last one
/// leaves before there is a result; whoever asks after that starts a new one. Once delivered, its result
/// serves later waiters at once, until the work has finished what it does after delivery. Its priority is the
/// greatest among its waiters.
struct Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias WorkID = Int
    typealias WaiterID = Int

    /// What a waiter that joins has to do.
    enum JoinResult {
        /// Start the work, then wait.
        case start(WorkID)
        /// Wait for work that runs.
        case wait(WorkID)
        /// Take the result that is there; the work has not ended.
        case take(Value, from: WorkID)
    }

    /// What has to be done about the work that a waiter left.
    enum LeaveResult: Equatable {
        /// Cancel it: nobody waits any more.
        case cancel(WorkID)
        /// Nothing: others wait for it, or it had delivered (`nil`).
        case keep(WorkID?)
    }

    private struct Work {
        let key: Key
        var waiters: [WaiterID: LoadPriority] = [:]
        /// How many waiters have each priority, so that the greatest is found at once.
        var counts = Array(repeating: 0, count: LoadPriority.allCases.count)
        var value: Value?

        mutating func setPriority(_ priority: LoadPriority?, of waiter: WaiterID) {
            let old = waiters.removeValue(forKey: waiter)
            if let old { counts[old.rawValue] -= 1 }
            guard let priority else { return }
            waiters[waiter] = priority
            counts[priority.rawValue] += 1
        }
    }

    private var works: [WorkID: Work] = [:]
    private var current: [Key: WorkID] = [:]
    private var workOfWaiter: [WaiterID: WorkID] = [:]
    private var nextWorkID = 0

    /// Whether no work runs.
    var isIdle: Bool { works.isEmpty }

    /// Whether a piece of work has not ended.
    func isRunning(_ id: WorkID) -> Bool { works[id] != nil }

    /// Whether who asks for a key now would wait for work that runs.
    func isAwaitable(_ key: Key) -> Bool {
        current[key].flatMap { works[$0] }.map { $0.value == nil } ?? false
    }

    /// The greatest priority among those that wait for a piece of work; `nil` where nobody does.
    func priority(of id: WorkID) -> LoadPriority? {
        works[id]?.counts.lastIndex { $0 > 0 }.flatMap(LoadPriority.init)
    }

    /// Adds a waiter for a key.
    ///
    /// - Parameters:
    ///   - key: What it asks for.
    ///   - waiter: Who asks.
    ///   - priority: How urgent it is.
    ///   - accepts: Whether a result that has been delivered still serves; new work begins where it does not.
    /// - Returns: What it has to do.
    mutating func join(
        _ key: Key,
        waiter: WaiterID,
        priority: LoadPriority = .normal,
        accepts: (Value) -> Bool = { _ in true }
    ) -> JoinResult {
        if let id = current[key], let work = works[id] {
            guard let value = work.value else {
                add(waiter, to: id, priority)
                return .wait(id)
            }
            if accepts(value) { return .take(value, from: id) }
        }
        nextWorkID += 1
        works[nextWorkID] = Work(key: key)
        current[key] = nextWorkID
        add(waiter, to: nextWorkID, priority)
        return .start(nextWorkID)
    }

    /// Changes the priority of a waiter; returns the work that it waits for, or `nil` where it has ended.
    mutating func setPriority(_ priority: LoadPriority, of waiter: WaiterID) -> WorkID? {
        guard let id = workOfWaiter[waiter] else { return nil }
        works[id]?.setPriority(priority, of: waiter)
        return id
    }

    /// Takes a waiter away that waits no more.
    mutating func leave(_ waiter: WaiterID) -> LeaveResult {
        guard let id = workOfWaiter.removeValue(forKey: waiter), var work = works[id] else {
            return .keep(nil)
        }
        work.setPriority(nil, of: waiter)
        works[id] = work
        guard work.waiters.isEmpty else { return .keep(id) }
        release(id, of: work.key)
        return .cancel(id)
    }

    /// Notes the result of a piece of work for later waiters, and gives those who wait and get it; none where
    /// it was abandoned.
    mutating func deliver(_ value: Value, from id: WorkID) -> [WaiterID] {
        guard let work = works[id], work.value == nil else { return [] }
        let waiters = Array(work.waiters.keys)
        works[id] = Work(key: work.key, value: value)
        for waiter in waiters { workOfWaiter[waiter] = nil }
        return waiters
    }

    /// Ends a piece of work and gives the waiters that are still without a result.
    mutating func finish(_ id: WorkID) -> [WaiterID] {
        guard let work = works.removeValue(forKey: id) else { return [] }
        release(id, of: work.key)
        for waiter in work.waiters.keys { workOfWaiter[waiter] = nil }
        return Array(work.waiters.keys)
    }

    private mutating func add(_ waiter: WaiterID, to id: WorkID, _ priority: LoadPriority) {
        works[id]?.setPriority(priority, of: waiter)
        workOfWaiter[waiter] = id
    }

    /// Lets the next request for the key start anew, unless it has already.
    private mutating func release(_ id: WorkID, of key: Key) {
        if current[key] == id { current[key] = nil }
    }
}
