import CalotypeSupport

/// Changes of keys that are under way, beside queries that are, so that neither undoes the other.
///
/// A query keeps what it has decoded only if no change of its key was under way at any time while it ran: it
/// may have read what was there before. And what is being removed from the stores is not looked for there.
final class PendingChanges: Sendable {
    /// The keys that a change is of.
    enum Scope: Sendable {
        case key(ImageKey)
        /// Those that a closure picks; called on any thread, and outside of all locks.
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
        fileprivate let changeCount: Int
        fileprivate let revocationCount: Int
        fileprivate let isDisturbed: Bool
    }

    /// Of a key that queries or changes are under way for.
    private struct Entry: Sendable {
        var queryCount = 0
        var pendingCount = 0
        /// How many of the pending changes empty the stores.
        var removalCount = 0
        /// Changes since the entry was made.
        var changeCount = 0
        /// How many of them were asked for to remove what the stores have.
        var revocationCount = 0

        var isOver: Bool { queryCount == 0 && pendingCount == 0 }
    }

    private struct Broad: Sendable {
        let affects: @Sendable (ImageKey) -> Bool
        let emptiesStores: Bool
    }

    private struct State: Sendable {
        var entries: [ImageKey: Entry] = [:]
        /// Changes of many keys, by their numbers; few at any time.
        var broad: [Int: Broad] = [:]
        var lastNumber = 0

        mutating func change(_ key: ImageKey, _ body: (inout Entry) -> Void) {
            var entry = entries[key] ?? Entry()
            body(&entry)
            entries[key] = entry.isOver ? nil : entry
        }
    }

    private let state = Guarded(State())

    /// Notes that a change has been issued, before any of it is done.
    ///
    /// - Parameters:
    ///   - scope: The keys it is of.
    ///   - emptiesStores: Whether it removes what the stores have for them.
    ///   - isRevocation: Whether it also holds for what is being loaded; where it empties stores unless
    ///     given.
    /// - Returns: The change.
    func begin(_ scope: Scope, emptiesStores: Bool = false, isRevocation: Bool? = nil) -> Change {
        let isRevocation = isRevocation ?? emptiesStores
        switch scope {
        case .key(let key):
            state.withLock { state in
                state.change(key) { entry in
                    entry.pendingCount += 1
                    entry.changeCount += 1
                    if isRevocation { entry.revocationCount += 1 }
                    if emptiesStores { entry.removalCount += 1 }
                }
            }
            return Change(scope: scope, number: 0, emptiesStores: emptiesStores)
        case .keys(where: let affects):
            let (number, keys) = state.withLock { state in
                state.lastNumber += 1
                state.broad[state.lastNumber] = Broad(affects: affects, emptiesStores: emptiesStores)
                return (state.lastNumber, Array(state.entries.keys))
            }
            // Queries that begin from here on see it for themselves.
            let affected = keys.filter(affects)
            state.withLock { state in
                for key in affected {
                    state.entries[key]?.changeCount += 1
                    if isRevocation { state.entries[key]?.revocationCount += 1 }
                }
            }
            return Change(scope: scope, number: number, emptiesStores: emptiesStores)
        }
    }

    /// Notes that a change has been carried out, or has failed.
    func end(_ change: Change) {
        // The closure comes out of the lock: what it holds may be released here for the last time.
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

    /// Notes a change that is done at once, before it is.
    func note(_ scope: Scope) { end(begin(scope)) }

    /// Notes that a query has begun, before it reads anything that a change may change.
    func beginQuery(of key: ImageKey) -> Query {
        let (entry, broad) = state.withLock { state in
            state.change(key) { $0.queryCount += 1 }
            return (state.entries[key] ?? Entry(), Array(state.broad.values))
        }
        return Query(
            key: key,
            changeCount: entry.changeCount,
            revocationCount: entry.revocationCount,
            isDisturbed: entry.pendingCount > 0 || broad.contains { $0.affects(key) }
        )
    }

    /// Whether its key has been removed since a query began.
    func isRevoked(_ query: Query) -> Bool {
        state.withLock { $0.entries[query.key]?.revocationCount } != query.revocationCount
    }

    /// Counts the removals of a key while a query of it is open; 0 where none is.
    func revocationCount(of key: ImageKey) -> Int { state.withLock { $0.entries[key]?.revocationCount ?? 0 } }

    /// Whether no change of its key has been under way since a query began.
    func isUndisturbed(_ query: Query) -> Bool {
        guard !query.isDisturbed else { return false }
        return state.withLock { $0.entries[query.key]?.changeCount } == query.changeCount
    }

    /// Ends a query.
    func end(_ query: Query) {
        state.withLock { state in state.change(query.key) { $0.queryCount -= 1 } }
    }

    /// Whether what the stores have for a key is on its way out.
    func isBeingRemoved(_ key: ImageKey) -> Bool {
        let (isRemoved, broad) = state.withLock { state in
            ((state.entries[key]?.removalCount ?? 0) > 0, Array(state.broad.values))
        }
        return isRemoved || broad.contains { $0.emptiesStores && $0.affects(key) }
    }
}
