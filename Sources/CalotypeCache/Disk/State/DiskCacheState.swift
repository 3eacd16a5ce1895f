import CalotypeCore
import CalotypeSupport

/// The state shared by all operations that change a directory; pure except for the locks of the shards, which
/// it takes one at a time inside its own.
///
/// Reads do not need it. Each operation on it is bounded, regardless of the number of entries.
struct DiskCacheState: Sendable {
    /// The work of a turn; returns the reply to the caller, which runs once the turn has ended.
    typealias Work = @Sendable () -> @Sendable () -> Void
    typealias Queue = KeyedQueue<EntryName, Work>

    /// The most entries evicted in one portion.
    static let portion = 64

    let shards: [GuardedShard]
    /// The turns of changes, by entry.
    var queue = Queue()
    /// The stores that wait for the budget of pending bytes.
    var line: StoreQueue<@Sendable (inout DiskCacheState) -> [Queue.Start]>
    /// The known entries of the directory.
    private(set) var usage = StoreUsage()
    /// A lower bound of the priorities in each folder; `.max` for an empty one.
    private var bounds = Array(repeating: Int64.max, count: DirectoryWalk.folderCount)
    /// The schedule of folder scans.
    var walk = DirectoryWalk()
    /// The changes by other processes.
    var neighbours = NeighbourLedger()
    /// The next folder whose expired entries are removed, and the number of folders due.
    var expiryCursor = 0
    var expiryDebt = 0
    /// Whether more evictions are due than the write that caused them waited for.
    var owesEviction = false
    /// The number of entries chosen for eviction whose files may still exist.
    var leavingCount = 0
    /// Whether a thread runs the chores.
    var isMaintaining = false
    /// Whether a thread is looking for other writers.
    var isLooking = false
    /// Tasks that wait until the entries have been counted and excess ones evicted.
    var waiters: [@Sendable (DiskCacheError?) -> Void] = []
    /// Folders of removed entries that could not be emptied, and the number of folders ever set aside.
    var unemptied: [AsideFolder] = []
    var asideCount = 0
    /// Whether this cache has written an entry.
    var hasWritten = false
    var isClosed = false

    init(shards: [GuardedShard], maxPendingByteCount: Int) {
        self.shards = shards
        line = StoreQueue(maxByteCount: maxPendingByteCount)
    }

    /// Whether ``waiters`` can be resumed.
    var isSettled: Bool { walk.isCounted && !owesEviction && leavingCount == 0 }

    // MARK: Known entries

    /// Changes a folder's shard and updates the totals derived from it.
    @discardableResult
    mutating func change<Result: Sendable>(
        _ folder: Int,
        _ body: (inout DiskShard) -> Result
    ) -> (result: Result, change: StoreUsage) {
        let (result, change, bound) = shards[folder].state.withLock { shard in
            let before = shard.index.usage
            let result = body(&shard)
            return (result, shard.index.usage - before, shard.index.leastPriorityBound)
        }
        usage = usage + change
        bounds[folder] = bound ?? .max
        return (result, change)
    }

    /// Adds an entry that this process has written.
    mutating func didWrite(_ entry: DiskIndexEntry, expiry: Expiry?) {
        let change = change(entry.name.folderIndex) { $0.didWrite(entry, expiry: expiry) }.change
        neighbours.noteOwn(change, writtenByteCount: entry.byteCount)
        walk.countWrite()
        hasWritten = true
    }

    /// Removes an entry whose file is gone; `isOwn` if this process has removed it.
    mutating func didRemove(_ name: EntryName, isOwn: Bool) {
        let change = change(name.folderIndex) { $0.didRemove(name) }.change
        noteLoss(change, in: name.folderIndex, isOwn: isOwn)
    }

    /// Records that an entry already removed from the index was gone, or has been removed.
    mutating func didEvict(_ entry: DiskIndexEntry, isOwn: Bool) {
        // A walk may have added it again meanwhile, from what it had listed before.
        change(entry.name.folderIndex) { $0.didRemove(entry.name) }
        let change = StoreUsage() - StoreUsage(entryCount: 1, byteCount: entry.byteCount)
        noteLoss(change, in: entry.name.folderIndex, isOwn: isOwn)
    }

    mutating func noteLoss(_ change: StoreUsage, in folder: Int, isOwn: Bool) {
        if isOwn {
            neighbours.noteOwn(change, writtenByteCount: nil)
        } else {
            neighbours.noteGone(StoreUsage() - change, in: folder)
        }
    }

    /// Adds an entry again that could not be removed, at the end of the eviction order.
    mutating func putBack(_ entry: DiskIndexEntry, behind order: Timestamp) {
        change(entry.name.folderIndex) { shard in
            shard.index.insert(entry)
            shard.index.putOff(entry.name, to: order.nanosecondsSince1970)
        }
    }

    // MARK: Eviction

    /// Returns the limits for the known entries, for all entries to be within `whole`.
    ///
    /// Other processes may have written entries not known yet; and a folder that could never be listed is
    /// assumed to hold as much as the others on average.
    private func share(of whole: StoreUsage) -> StoreUsage {
        let unseen = neighbours.unseen
        return StoreUsage(
            entryCount: knownPart(of: whole.entryCount.subtractingClamped(unseen.entryCount)),
            byteCount: knownPart(of: whole.byteCount.subtractingClamped(unseen.byteCount))
        )
    }

    private func knownPart(of whole: Int) -> Int {
        let (quotient, rest) = whole.quotientAndRemainder(dividingBy: DirectoryWalk.folderCount)
        return whole - quotient * walk.unknownCount - rest * walk.unknownCount / DirectoryWalk.folderCount
    }

    /// Returns whether the known entries, and the estimate for the rest, exceed the limits.
    func isExceeded(_ rules: DiskRules) -> Bool {
        usage.exceeds(share(of: rules.limits))
    }

    /// Returns a portion of the entries to evict if a limit is exceeded or an eviction is due, down to 95 %
    /// of the limit; their turns are reserved.
    ///
    /// `order` is the position among all uses to which an entry moves if its turn is taken.
    mutating func planEviction(_ rules: DiskRules, order: Timestamp) -> [DiskIndexEntry] {
        owesEviction = owesEviction || isExceeded(rules)
        guard owesEviction else { return [] }
        let target = share(of: rules.target)
        // An entry within the limits stays, even if it alone exceeds the target.
        let keptCount = isExceeded(rules) ? 0 : 1
        let evicted = planEviction(to: target, keeping: keptCount, order: order)
        owesEviction = usage.exceeds(target) && usage.entryCount > keptCount
        return evicted
    }

    /// Returns a portion of the entries to evict for the known ones to be within `target`; their turns are
    /// reserved.
    ///
    /// While a barrier runs the portion is empty, since every turn is taken.
    mutating func planEviction(
        to target: StoreUsage,
        keeping keptCount: Int = 0,
        order: Timestamp
    ) -> [DiskIndexEntry] {
        var evicted: [DiskIndexEntry] = []
        var sparedCount = 0
        while !queue.isBarrierRunning, evicted.count < Self.portion, sparedCount < Self.portion,
            usage.exceeds(target), usage.entryCount > keptCount, let name = least()
        {
            if queue.reserve(name) {
                let removed = change(name.folderIndex) { shard in
                    defer { shard.didRemove(name) }
                    return shard.index.entry(name)
                }
                if let entry = removed.result { evicted.append(entry) }
            } else {
                // The entry is being written or removed; either way it will change.
                sparedCount += 1
                change(name.folderIndex) { $0.index.putOff(name, to: order.nanosecondsSince1970) }
            }
        }
        leavingCount += evicted.count
        return evicted
    }

    private mutating func least() -> EntryName? {
        while true {
            guard let folder = bounds.indices.min(by: { bounds[$0] < bounds[$1] }), bounds[folder] < .max
            else { return nil }
            let bound = bounds[folder]
            let least = change(folder) { $0.index.least() }.result
            if let least, least.priority == bound { return least.entry.name }
        }
    }
}

extension Int {
    /// Returns the difference, at least 0, and `.max` on overflow.
    fileprivate func subtractingClamped(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? .max : Swift.max(0, difference)
    }
}

extension StoreUsage {
    /// Returns whether there are more entries, or more bytes.
    func exceeds(_ limits: StoreUsage) -> Bool {
        byteCount > limits.byteCount || entryCount > limits.entryCount
    }
}
