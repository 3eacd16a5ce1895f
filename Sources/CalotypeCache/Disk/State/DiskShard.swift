import CalotypeCore
import CalotypeSupport

/// What is known of one of the 256 folders of a directory; pure.
///
/// A reader takes the lock of one shard, and whoever works on all entries takes one after another: nobody
/// waits for work on the whole.
struct DiskShard: Sendable {
    /// What is known of the files.
    var index = DiskIndex(policy: LRUDiskPolicy())
    /// What reads see of writes that have been issued and have not ended.
    var staged = StagedWrites()
    /// Last uses that the files do not know of yet.
    var uses = UnwrittenUses()
    /// Expiries of their own that entries have, of those that this process has written or read.
    private var ownExpiries: [EntryName: Expiry] = [:]
    /// Names that changed while the folder is looked through, since what was seen of them may be older;
    /// `nil` while it is not.
    private(set) var changed: Set<EntryName>?
    /// Whether everything was removed while the folder is looked through: then nothing that was seen is
    /// there.
    private var isWalkVoid = false

    /// Takes a written entry in.
    mutating func didWrite(_ entry: DiskIndexEntry, expiry: Expiry?) {
        index.insert(entry)
        ownExpiries[entry.name] = expiry
        changed?.insert(entry.name)
        uses.forget(entry.name)
    }

    /// Forgets an entry whose file is gone.
    mutating func didRemove(_ name: EntryName) {
        index.remove(name)
        ownExpiries[name] = nil
        changed?.insert(name)
        uses.forget(name)
    }

    /// Forgets all entries, whose files are gone.
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

    /// Notes a use.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - time: The time of day.
    ///   - order: The use's place among all uses.
    ///   - expiry: The entry's own.
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

    /// When an entry was last used, as far as anybody knows.
    func accessDate(of entry: StoredEntry, _ name: EntryName) -> Timestamp {
        // A use may have been written to the file since it was looked at: then only the index knows of it.
        let known = uses[name] ?? index.entry(name)?.accessedAt ?? entry.status.accessedAt
        return max(entry.record.writtenAt, entry.status.accessedAt, known)
    }

    /// A portion of the entries whose time has passed by what is known of them; their records have the last
    /// word.
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

/// Looking the folder through.
extension DiskShard {
    /// Begins to note what changes.
    mutating func beginWalk() {
        changed = []
        isWalkVoid = false
        index.beginWalk()
    }

    /// Takes in what was seen of some entries.
    mutating func takeIn(_ entries: ArraySlice<DiskIndexEntry>) {
        guard !isWalkVoid else { return }
        for entry in entries where changed?.contains(entry.name) == false { index.merge(entry) }
    }

    /// Forgets the entries of a portion that were not seen, as others have removed them.
    ///
    /// - Returns: Where the next portion begins; `nil` after the last.
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

/// A shard under its lock.
final class GuardedShard: Sendable {
    let state = Guarded(DiskShard())
}
