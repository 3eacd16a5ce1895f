internal import CalotypeLoading

/// Decides which requests share a piece of work; pure, driven by ``SharedWork``.
///
/// A piece of work has a key and waiters. It starts with its first waiter, and is abandoned when the last one
/// leaves before there is a result; later callers then start new work. Once delivered, its result serves
/// later waiters at once, until the work has finished what it does after delivery. Its priority is the
/// highest of its waiters.
struct Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias WorkID = Int
    typealias WaiterID = Int

    /// The action of a waiter that joins.
    enum JoinResult {
        /// Start the work, then wait.
        case start(WorkID)
        case wait(WorkID)
        /// Take the available result; the work has not ended.
        case take(Value, from: WorkID)
    }

    /// The action for work that a waiter has left.
    enum LeaveResult: Equatable {
        /// Cancel the work: it has no waiters.
        case cancel(WorkID)
        /// Continue the work: it has other waiters, or had delivered (`nil`).
        case keep(WorkID?)
    }

    private struct Work {
        let key: Key
        var waiters: [WaiterID: LoadPriority] = [:]
        /// The number of waiters of each priority, to find the highest at once.
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

    /// True if no work runs.
    var isIdle: Bool { works.isEmpty }

    /// True if the work has not ended.
    func isRunning(_ id: WorkID) -> Bool { works[id] != nil }

    /// True if the work has delivered a result.
    func hasDelivered(_ id: WorkID) -> Bool { works[id]?.value != nil }

    /// True if a caller for the key would wait for running work.
    func isAwaitable(_ key: Key) -> Bool {
        current[key].flatMap { works[$0] }.map { $0.value == nil } ?? false
    }

    /// Returns the waiters of a piece of work.
    func waiters(of id: WorkID) -> [WaiterID] { works[id].map { Array($0.waiters.keys) } ?? [] }

    /// Returns the highest priority among the waiters of a piece of work; `nil` without waiters.
    func priority(of id: WorkID) -> LoadPriority? {
        works[id]?.counts.lastIndex { $0 > 0 }.flatMap(LoadPriority.init)
    }

    /// Returns the work that a caller for the key would join.
    func current(_ key: Key) -> WorkID? { current[key] }

    /// Adds a waiter for a key.
    ///
    /// - Parameters:
    ///   - key: The key of the work.
    ///   - waiter: The new waiter.
    ///   - priority: The priority of the waiter.
    ///   - mayWait: False if running work without a result is not acceptable; new work starts then.
    ///   - accepts: True if a delivered result is still acceptable; otherwise new work starts.
    /// - Returns: The action of the waiter.
    mutating func join(
        _ key: Key,
        waiter: WaiterID,
        priority: LoadPriority = .normal,
        mayWait: Bool = true,
        accepts: (Value) -> Bool = { _ in true }
    ) -> JoinResult {
        if let id = current[key], let work = works[id] {
            if let value = work.value {
                if accepts(value) { return .take(value, from: id) }
            } else if mayWait {
                add(waiter, to: id, priority)
                return .wait(id)
            }
        }
        nextWorkID += 1
        works[nextWorkID] = Work(key: key)
        current[key] = nextWorkID
        add(waiter, to: nextWorkID, priority)
        return .start(nextWorkID)
    }

    /// Changes the priority of a waiter; returns its work, or `nil` if that has ended.
    mutating func setPriority(_ priority: LoadPriority, of waiter: WaiterID) -> WorkID? {
        guard let id = workOfWaiter[waiter] else { return nil }
        works[id]?.setPriority(priority, of: waiter)
        return id
    }

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

    /// Stores the result of a piece of work for later waiters, and returns the waiters that get it.
    ///
    /// There are none if the work was abandoned, or has delivered before: the new result then replaces the
    /// earlier one for later waiters.
    mutating func deliver(_ value: Value, from id: WorkID) -> [WaiterID] {
        guard let work = works[id] else { return [] }
        let waiters = Array(work.waiters.keys)
        works[id] = Work(key: work.key, value: value)
        for waiter in waiters { workOfWaiter[waiter] = nil }
        return waiters
    }

    /// Ends a piece of work and returns the waiters without a result.
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

    /// Lets the next request for the key start new work, unless it has already.
    private mutating func release(_ id: WorkID, of key: Key) {
        if current[key] == id { current[key] = nil }
    }
}
