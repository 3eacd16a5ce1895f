/// A token that a load holds for its key while it runs, which detects a removal of the key meanwhile.
///
/// After a removal, a load that began before it must not store the image again.
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

    /// Whether the key has been removed since the load began: its result must then not be cached.
    package var isRevoked: Bool { changes.isRevoked(query) }
}

extension ImageCache {
    /// Begins a load of a key.
    package func beginLoad(of key: ImageKey) -> LoadTicket { LoadTicket(key, changes) }

    /// Returns the number of removals of a key from the stores since its oldest running load began.
    ///
    /// A load that begins after a removal shares no work with loads that began before.
    package func removalCount(of key: ImageKey) -> Int { changes.revocationCount(of: key) }
}
