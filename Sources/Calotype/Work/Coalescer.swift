/// Decides which requests share one piece of work: a pure value, driven by ``SharedWork``.
///
/// A piece of work has a key and waiters. It starts with its first waiter, and is abandoned when the last one
/// leaves before there is a result; whoever asks after that starts a new one. Once delivered, its result
/// serves later waiters at once, until the work has finished what it does after delivery.
struct Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias WorkID = Int
    typealias WaiterID = Int

    /// What a waiter that joins has to do.
    enum Joining {
        /// Start the work, then wait.
        case start(WorkID)
        /// Wait for work that runs.
        case wait(WorkID)
        /// Take the result that is there.
        case take(Value)
    }

    /// What has to be done about the work that a waiter left.
    enum Leaving: Equatable {
        /// Cancel it: nobody waits any more.
        case cancel(WorkID)
        /// Nothing: others wait, or it had delivered.
        case keep
    }

    private struct Work {
        let key: Key
        var waiters: Set<WaiterID> = []
        var value: Value?
    }

    private var works: [WorkID: Work] = [:]
    private var current: [Key: WorkID] = [:]
    private var workOfWaiter: [WaiterID: WorkID] = [:]
    private var nextWorkID = 0

    /// Whether no work runs.
    var isIdle: Bool { works.isEmpty }

    /// Whether a piece of work has not ended.
    func isRunning(_ id: WorkID) -> Bool { works[id] != nil }

    /// Adds a waiter for a key.
    mutating func join(_ key: Key, waiter: WaiterID) -> Joining {
        if let id = current[key], let work = works[id] {
            if let value = work.value { return .take(value) }
            add(waiter, to: id)
            return .wait(id)
        }
        nextWorkID += 1
        works[nextWorkID] = Work(key: key)
        current[key] = nextWorkID
        add(waiter, to: nextWorkID)
        return .start(nextWorkID)
    }

    /// Takes a waiter away that waits no more.
    mutating func leave(_ waiter: WaiterID) -> Leaving {
        guard let id = workOfWaiter.removeValue(forKey: waiter), var work = works[id] else { return .keep }
        work.waiters.remove(waiter)
        works[id] = work
        guard work.waiters.isEmpty else { return .keep }
        release(id, of: work.key)
        return .cancel(id)
    }

    /// Notes the result of a piece of work and gives the waiters that get it; none where it was abandoned.
    mutating func deliver(_ value: Value, from id: WorkID) -> Set<WaiterID> {
        guard var work = works[id], work.value == nil else { return [] }
        let waiters = work.waiters
        work.waiters = []
        work.value = value
        works[id] = work
        for waiter in waiters { workOfWaiter[waiter] = nil }
        return waiters
    }

    /// Ends a piece of work and gives the waiters that are still without a result.
    mutating func finish(_ id: WorkID) -> Set<WaiterID> {
        guard let work = works.removeValue(forKey: id) else { return [] }
        release(id, of: work.key)
        for waiter in work.waiters { workOfWaiter[waiter] = nil }
        return work.waiters
    }

    private mutating func add(_ waiter: WaiterID, to id: WorkID) {
        works[id]?.waiters.insert(waiter)
        workOfWaiter[waiter] = id
    }

    /// Lets the next request for the key start anew, unless it has already.
    private mutating func release(_ id: WorkID, of key: Key) {
        if current[key] == id { current[key] = nil }
    }
}
