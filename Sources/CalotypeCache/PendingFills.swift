import CalotypeSupport

/// Queries that are about to put an image into memory, so that one begun before its key was stored or removed
/// does not undo that.
final class PendingFills: Sendable {
    /// A query's place in the order of what happens to its key.
    struct Ticket: Sendable {
        let key: ImageKey
        fileprivate let changeCount: Int
    }

    private struct Entry: Sendable {
        var fillCount = 0
        var changeCount = 0
    }

    /// Keys that queries are under way for; no more of them than queries.
    private let entries = Guarded<[ImageKey: Entry]>([:])

    /// Notes that a query has begun; ``end(_:)`` must follow.
    func begin(_ key: ImageKey) -> Ticket {
        entries.withLock { entries in
            entries[key, default: Entry()].fillCount += 1
            return Ticket(key: key, changeCount: entries[key]?.changeCount ?? 0)
        }
    }

    /// Whether the key has been left alone since the query began.
    func isValid(_ ticket: Ticket) -> Bool {
        entries.withLock { $0[ticket.key]?.changeCount } == ticket.changeCount
    }

    /// Ends a query.
    func end(_ ticket: Ticket) {
        entries.withLock { entries in
            guard var entry = entries[ticket.key] else { return }
            entry.fillCount -= 1
            entries[ticket.key] = entry.fillCount == 0 ? nil : entry
        }
    }

    /// Notes that a key is stored or removed, before it is.
    func noteChange(of key: ImageKey) {
        entries.withLock { $0[key]?.changeCount += 1 }
    }

    /// Notes that all keys are removed, before they are.
    func noteChangeOfAll() {
        entries.withLock { entries in
            for key in entries.keys { entries[key]?.changeCount += 1 }
        }
    }
}
