import CalotypeSupport

/// Tracks running changes of keys and running queries, so that neither undoes the other.
///
/// A query stores its decoded image only if no change of its key was running at any time during the query: it
/// may have read older bytes. And entries being removed from the stores are not looked up there.
final class PendingChanges: Sendable {
    /// The keys that a change applies to.
    enum Scope: Sendable {
        case key(ImageKey)
        /// The keys that match a predicate; called on any thread, outside of all locks.
        case keys(where: @Sendable (ImageKey) -> Bool)

        static var all: Scope { .keys { _ in true } }
    }

    /// A change that has begun; ``end(_:)`` must follow.
    struct Change: Sendable {
        fileprivate let scope: Scope
        fileprivate let number: Int
        fileprivate let emptiesStores: Bool
    }

    /// A query that has begun; ``end(_:)`` must follow.
    struct Query: Sendable {
        let key: ImageKey
        /// The number of the query; those of later queries are larger.
        let number: Int
        fileprivate let changeCount: Int
        fileprivate let revocation: Int
        fileprivate let storeCount: Int
        fileprivate let isDisturbed: Bool
    }

    /// The running queries and changes of a key.
    private struct Entry: Sendable {
        var queryCount = 0
        var pendingCount = 0
        /// The number of pending changes that empty the stores.
        var removalCount = 0
        var changeCount = 0
        /// The number of the latest change that revoked loads; 0 for none.
        var revocation = 0
        /// The number of the latest revocation, or replacement by a load; 0 for none.
        var renewal = 0
        /// The number of the latest query whose load has brought its result.
        var broughtBy = 0
        /// The number of the latest query whose load has stored or replaced the entry.
        var storedBy = 0
        /// The number of times that a load has stored or replaced the entry.
        var storeCount = 0

        var isOver: Bool { queryCount == 0 && pendingCount == 0 }

        mutating func revoke(_ number: Int) { (revocation, renewal) = (number, number) }
    }

    private struct Broad: Sendable {
        let affects: @Sendable (ImageKey) -> Bool
        let emptiesStores: Bool
    }

    private struct State: Sendable {
        var entries: [ImageKey: Entry] = [:]
        /// Changes of many keys, by number; few at any time.
        var broad: [Int: Broad] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func change(_ key: ImageKey, _ body: (inout Entry) -> Void) {
            var entry = entries[key] ?? Entry()
            body(&entry)
            entries[key] = entry.isOver ? nil : entry
        }
    }

    private let state = Guarded(State())

    /// Records that a change has been issued, before any of it is done.
    ///
    /// - Parameters:
    ///   - scope: The keys it applies to.
    ///   - emptiesStores: Whether it removes their entries from the stores.
    ///   - isRevocation: Whether it also revokes running loads; as `emptiesStores` unless given.
    /// - Returns: The change.
    func begin(_ scope: Scope, emptiesStores: Bool = false, isRevocation: Bool? = nil) -> Change {
        let isRevocation = isRevocation ?? emptiesStores
        switch scope {
        case .key(let key):
            state.withLock { state in
                let number = state.nextNumber()
                state.change(key) { entry in
                    entry.pendingCount += 1
                    entry.changeCount += 1
                    if isRevocation { entry.revoke(number) }
                    if emptiesStores { entry.removalCount += 1 }
                }
            }
            return Change(scope: scope, number: 0, emptiesStores: emptiesStores)
        case .keys(where: let affects):
            let (number, keys) = state.withLock { state in
                let number = state.nextNumber()
                state.broad[number] = Broad(affects: affects, emptiesStores: emptiesStores)
                return (number, Array(state.entries.keys))
            }
            // Queries that begin from now on see it themselves.
            let affected = keys.filter(affects)
            state.withLock { state in
                let number = state.nextNumber()
                for key in affected {
                    state.entries[key]?.changeCount += 1
                    if isRevocation { state.entries[key]?.revoke(number) }
                }
            }
            return Change(scope: scope, number: number, emptiesStores: emptiesStores)
        }
    }

    /// Records that a change has been completed, or has failed.
    func end(_ change: Change) {
        // The closure leaves the lock before it is released: this may be the last reference to its captures.
        let closure = state.withLock { state -> Broad? in
            guard case .key(let key) = change.scope else {
                return state.broad.removeValue(forKey: change.number)
            }
            state.change(key) { entry in
                entry.pendingCount -= 1
                if change.emptiesStores { entry.removalCount -= 1 }
            }
            return nil
        }
        _ = consume closure
    }

    /// Records an immediate change, before it happens.
    func note(_ scope: Scope) { end(begin(scope)) }

    /// Records that a query has begun, before it reads any changeable state.
    func beginQuery(of key: ImageKey) -> Query {
        let (number, entry, broad) = state.withLock { state in
            state.change(key) { $0.queryCount += 1 }
            return (state.nextNumber(), state.entries[key] ?? Entry(), Array(state.broad.values))
        }
        return Query(
            key: key,
            number: number,
            changeCount: entry.changeCount,
            revocation: entry.revocation,
            storeCount: entry.storeCount,
            isDisturbed: entry.pendingCount > 0 || broad.contains { $0.affects(key) }
        )
    }

    /// Returns whether its key has been removed since a query began.
    func isRevoked(_ query: Query) -> Bool {
        state.withLock { $0.entries[query.key]?.revocation } != query.revocation
    }

    /// Records that the load of a query has brought its result, whether that is stored or not.
    func noteBrought(by query: Query) {
        state.withLock { state in
            state.change(query.key) { $0.broughtBy = max($0.broughtBy, query.number) }
        }
    }

    /// Returns whether a load that began after a query has brought its result.
    func isOvertaken(_ query: Query) -> Bool {
        state.withLock { $0.entries[query.key]?.broughtBy ?? 0 } > query.number
    }

    /// Records that the load of a query stores its result: loads that began earlier must not replace it.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - isReplacement: True if later loads must not share the work of earlier ones.
    func noteStored(by query: Query, isReplacement: Bool = false) {
        state.withLock { state in
            let number = state.nextNumber()
            state.change(query.key) { entry in
                entry.storedBy = max(entry.storedBy, query.number)
                entry.storeCount += 1
                if isReplacement { entry.renewal = number }
            }
        }
    }

    /// Returns whether a load that began after a query has stored its result.
    func isOutdated(_ query: Query) -> Bool {
        state.withLock { $0.entries[query.key]?.storedBy ?? 0 } > query.number
    }

    /// Returns whether any load has stored or replaced the entry since a query began.
    func isReplaced(_ query: Query) -> Bool {
        state.withLock { $0.entries[query.key]?.storeCount } != query.storeCount
    }

    /// Returns the number of the latest removal or replacement of a key since its oldest running query began;
    /// 0 for none.
    ///
    /// No two of them have the same number, and those of later ones are larger.
    func renewal(of key: ImageKey) -> Int {
        state.withLock { $0.entries[key]?.renewal ?? 0 }
    }

    /// Returns whether no change of its key has been running since a query began.
    func isUndisturbed(_ query: Query) -> Bool {
        guard !query.isDisturbed else { return false }
        return state.withLock { $0.entries[query.key]?.changeCount } == query.changeCount
    }

    func end(_ query: Query) {
        state.withLock { state in state.change(query.key) { $0.queryCount -= 1 } }
    }

    /// Returns whether a key's entries in the stores are being removed.
    func isBeingRemoved(_ key: ImageKey) -> Bool {
        let (isRemoved, broad) = state.withLock { state in
            ((state.entries[key]?.removalCount ?? 0) > 0, Array(state.broad.values))
        }
        return isRemoved || broad.contains { $0.emptiesStores && $0.affects(key) }
    }
}
