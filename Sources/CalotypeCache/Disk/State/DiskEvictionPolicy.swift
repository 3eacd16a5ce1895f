package import CalotypeCore

/// The policy that chooses the entry evicted first when a directory exceeds a limit: the one with the least
/// priority.
///
/// Pure: it depends only on the index. The index recomputes a priority only when the entry comes up for
/// eviction, so a use has no cost here.
package protocol DiskEvictionPolicy: Sendable {
    /// Returns the priority of keeping an entry, from its current state.
    func priority(of entry: DiskIndexEntry) -> Int64
}

/// Evicts the least recently used entry first.
package struct LRUDiskPolicy: DiskEvictionPolicy {
    package init() {}

    package func priority(of entry: DiskIndexEntry) -> Int64 { entry.accessedAt.nanosecondsSince1970 }
}

package struct DiskIndexEntry: Hashable, Sendable {
    package let name: EntryName
    /// The file's length in bytes: payload and record.
    package var byteCount: Int
    /// The time of the last read or write known to this process.
    package var accessedAt: Timestamp
    /// The identity and modification time of the file when it was last inspected.
    package var identity: FileIdentity

    package init(name: EntryName, byteCount: Int, accessedAt: Timestamp, identity: FileIdentity) {
        self.name = name
        self.byteCount = byteCount
        self.accessedAt = accessedAt
        self.identity = identity
    }
}
