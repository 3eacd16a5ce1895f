import CalotypeCore
import CalotypeSupport

/// The known state of one of the 256 folders of a directory; pure.
///
/// A read takes the lock of one shard, and an operation on all entries takes one after another, so that no
/// task waits for an operation on the whole directory.
struct DiskShard: Sendable {
    var index = DiskIndex(policy: LRUDiskPolicy())
    /// The view of reads on writes that have been issued and have not ended.
    var staged = StagedWrites()
    /// Uses that have not been written to the files yet.
    var uses = PendingAccessTimes()
    /// The own expiries of entries that this process has written or read.
    private var ownExpiries: [EntryName: Expiry] = [:]
    /// Names that changed during the current walk, since what it listed of them may be older; `nil` outside a
    /// walk.
    private(set) var changed: Set<EntryName>?
    /// Whether all entries were removed during the current walk: then everything it listed is outdated.
    private var isWalkVoid = false

    mutating func didWrite(_ entry: DiskIndexEntry, expiry: Expiry?) {
        index.insert(entry)
        ownExpiries[entry.name] = expiry
        changed?.insert(entry.name)
        uses.forget(entry.name)
    }

    /// Removes an entry whose file is gone.
    mutating func didRemove(_ name: EntryName) {
        index.remove(name)
        ownExpiries[name] = nil
        changed?.insert(name)
        uses.forget(name)
    }

    /// Removes all entries, whose files are gone; returns the old index.
    mutating func didClear() -> DiskIndex<LRUDiskPolicy> {
        defer {
            index = DiskIndex(policy: LRUDiskPolicy())
            index.beginWalk()
        }
        ownExpiries = [:]
        uses.forgetAll()
        isWalkVoid = true
        return index
    }

    /// Records a use.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - time: The time of day.
    ///   - order: The use's position among all uses.
    ///   - expiry: The entry's own expiry.
    /// - Returns: Whether it is time to write the uses back.
    mutating func didUse(
        _ name: EntryName,
        at time: Timestamp,
        order: Timestamp,
        expiry: Expiry?
    ) -> Bool {
        index.touch(name, at: order)
        if let expiry, index.entry(name) != nil { ownExpiries[name] = expiry }
        return uses.note(name, at: time)
    }

    /// Returns the time of the last known use of an entry.
    func accessDate(of entry: StoredEntry, _ name: EntryName) -> Timestamp {
        // A use may have been written to the file after its status was read: then only the index has it.
        let known = uses[name] ?? index.entry(name)?.accessedAt ?? entry.status.accessedAt
        return max(entry.record.writtenAt, entry.status.accessedAt, known)
    }

    /// Returns a portion of the entries that have expired as far as known; their records decide.
    func entriesPastTime(
        _ now: Timestamp,
        rules: DiskRules,
        from start: Int,
        count: Int
    ) -> (entries: [DiskIndexEntry], next: Int?) {
        var entries: [DiskIndexEntry] = []
        let next = index.forEach(from: start, count: count) { entry, _ in
            let date = rules.expiryDate(
                own: ownExpiries[entry.name],
                writtenAt: entry.identity.writtenAt,
                accessedAt: entry.accessedAt,
                now: now
            )
            if let date, date <= now { entries.append(entry) }
        }
        return (entries, next)
    }
}

extension DiskShard {
    mutating func beginWalk() {
        changed = []
        isWalkVoid = false
        index.beginWalk()
    }

    /// Merges entries that a walk has listed.
    mutating func takeIn(_ entries: ArraySlice<DiskIndexEntry>) {
        guard !isWalkVoid else { return }
        for entry in entries where changed?.contains(entry.name) == false { index.merge(entry) }
    }

    /// Removes the entries of a portion that the walk has not seen, as other processes have removed them.
    ///
    /// - Returns: The start of the next portion; `nil` after the last.
    mutating func forgetUnseen(from start: Int, count: Int) -> Int? {
        var gone: [EntryName] = []
        let next = index.forEach(from: start, count: count) { entry, isSeen in
            if !isSeen, changed?.contains(entry.name) == false { gone.append(entry.name) }
        }
        for name in gone {
            index.remove(name)
            ownExpiries[name] = nil
        }
        return next
    }

    mutating func endWalk() {
        changed = nil
    }
}

final class GuardedShard: Sendable {
    let state = Guarded(DiskShard())
}
