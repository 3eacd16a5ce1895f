package import CalotypeCore

/// Decides which entry leaves first when a directory is over its limit: the one with the least priority.
///
/// Pure: it sees what the index knows and nothing else. The index asks again only when an entry comes up for
/// eviction, so a use costs nothing here.
package protocol DiskEvictionPolicy: Sendable {
    /// How much an entry deserves to stay, given what is known of it now.
    func priority(of entry: DiskIndexEntry) -> Int64
}

/// The entry that has not been used for the longest time leaves first.
package struct LRUDiskPolicy: DiskEvictionPolicy {
    package init() {}

    package func priority(of entry: DiskIndexEntry) -> Int64 { entry.accessedAt.nanosecondsSince1970 }
}

/// What the index knows of an entry.
package struct DiskIndexEntry: Hashable, Sendable {
    package let name: EntryName
    /// Bytes of the file: payload and record.
    package var byteCount: Int
    /// When it was last read or written, as far as this process knows.
    package var accessedAt: Timestamp
    /// Which file it was when it was last looked at, and when that was written.
    package var identity: FileIdentity

    package init(name: EntryName, byteCount: Int, accessedAt: Timestamp, identity: FileIdentity) {
        self.name = name
        self.byteCount = byteCount
        self.accessedAt = accessedAt
        self.identity = identity
    }
}
