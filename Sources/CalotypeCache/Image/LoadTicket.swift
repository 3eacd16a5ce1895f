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

    /// Whether the result of the load may be stored: the key has not been removed, and no load that began
    /// later has stored its own.
    var mayStore: Bool { !isRevoked && !changes.isOutdated(query) }

    /// Whether the entry that the load has read may be renewed: it has been neither removed nor replaced
    /// since the load began.
    var mayRenew: Bool { !isRevoked && !changes.isReplaced(query) }

    /// Whether a failure of the load may be remembered: the key has not been removed, and no load that began
    /// later has succeeded.
    package var mayNoteFailure: Bool { !isRevoked && !changes.isOvertaken(query) }

    /// The number of the load; those of later loads are larger, whatever their keys.
    package var number: Int { query.number }

    /// Records that the load has succeeded: failures of loads that began earlier are not remembered.
    package func noteSuccess() { changes.noteBrought(by: query) }

    /// Records that the result has been stored, or that it must not be: loads that began earlier do not store
    /// theirs.
    package func noteStored() { changes.noteStored(by: query) }

    /// Records that the result replaces the entry whatever its age: loads that began earlier do not store
    /// theirs, and later ones do not share work with them.
    package func noteReplacement() { changes.noteStored(by: query, isReplacement: true) }
}

extension ImageCache {
    package func beginLoad(of key: ImageKey) -> LoadTicket { LoadTicket(key, changes) }

    /// Returns the number of the latest removal of a key from the stores, or of its latest replacement, since
    /// its oldest running load began; 0 for none.
    ///
    /// A load that begins after one of them shares no work with loads that began before.
    package func renewal(of key: ImageKey) -> Int { changes.renewal(of: key) }
}
