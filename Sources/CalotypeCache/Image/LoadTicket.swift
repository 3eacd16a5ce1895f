/// What a load for a key holds while it runs, to hear that the key has been removed meanwhile.
///
/// Whoever removes an image does not want it back from a load that had begun before.
package final class LoadTicket: Sendable {
    private let changes: PendingChanges
    private let query: PendingChanges.Query

    fileprivate init(_ key: ImageKey, _ changes: PendingChanges) {
        self.changes = changes
        query = changes.beginQuery(of: key)
    }

    deinit {
        changes.end(query)
    }

    /// Whether the key has been removed since the load began: what comes of it is not to be kept.
    package var isRevoked: Bool { changes.isRevoked(query) }
}

extension ImageCache {
    /// Notes that somebody begins to load what is kept for a key.
    package func beginLoad(of key: ImageKey) -> LoadTicket { LoadTicket(key, changes) }

    /// Counts the removals of a key from the stores since the oldest load of it began that has not ended: a
    /// load that begins after one shares nothing with those that began before.
    package func removalCount(of key: ImageKey) -> Int { changes.revocationCount(of: key) }
}
