import CalotypeCore
import CalotypeSupport

/// Everything that those who change a directory share; pure but for the locks of the shards, which it takes
/// one at a time inside its own.
///
/// Readers do not need it. What is done here at once is bounded, however much there is in the directory.
struct DiskCacheState: Sendable {
    /// A turn's work; it returns what tells the caller, to be called once the turn has ended.
    typealias Work = @Sendable () -> @Sendable () -> Void
    typealias Queue = KeyedQueue<EntryName, Work>

    /// The most entries that leave in one portion.
    static let portion = 64

    /// What is known of the files, a shard for each folder.
    let shards: [GuardedShard]
    /// Who may change which entry when.
    var queue = Queue()
    /// Who may ask for a turn.
    var line: StoreLine<@Sendable (inout DiskCacheState) -> [Queue.Start]>
    /// What is known to be in the directory.
    private(set) var usage = StoreUsage()
    /// No entry of a folder has a priority below this; `.max` where there is none.
    private var bounds = Array(repeating: Int64.max, count: DirectoryWalk.folderCount)
    /// Which folders are to be looked through.
    var walk = DirectoryWalk()
    /// What others have done.
    var neighbours = NeighbourLedger()
    /// The next folder whose expired entries are to go, and how many folders are to have their turn.
    var expiryCursor = 0
    var expiryDebt = 0
    /// Whether more has to leave than the write that made it so could wait for.
    var owesEviction = false
    /// How many entries have been chosen to leave whose files may still be there.
    var leavingCount = 0
    /// Whether a thread does what is owed.
    var isMaintaining = false
    /// Whether a thread looks for neighbours.
    var isLooking = false
    /// Who waits until the entries have been counted and what is too much has left.
    var waiters: [@Sendable (DiskCacheError?) -> Void] = []
    /// Folders of removed entries that could not be emptied, and how many folders were set aside in all.
    var unemptied: [AsideFolder] = []
    var asideCount = 0
    /// Whether anything was written by this cache.
    var hasWritten = false
    /// Whether the cache has been closed.
    var isClosed = false

    init(shards: [GuardedShard], pendingByteCountMax: Int) {
        self.shards = shards
        line = StoreLine(byteCountMax: pendingByteCountMax)
    }

    /// Whether nobody has to wait for ``waiters``' sake any more.
    var isSettled: Bool { walk.isCounted && !owesEviction && leavingCount == 0 }

    // MARK: What is known

    /// Changes what is known of a folder, and what follows from it.
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

    /// Takes an entry in that this process has written.
    mutating func didWrite(_ entry: DiskIndexEntry, expiry: Expiry?) {
        let change = change(entry.name.folderIndex) { $0.didWrite(entry, expiry: expiry) }.change
        neighbours.noteOwn(change, writtenByteCount: entry.byteCount)
        walk.countWrite()
        hasWritten = true
    }

    /// Forgets an entry whose file is gone; `isOwn` where this process has removed it.
    mutating func didRemove(_ name: EntryName, isOwn: Bool) {
        let change = change(name.folderIndex) { $0.didRemove(name) }.change
        noteLoss(change, in: name.folderIndex, isOwn: isOwn)
    }

    /// Notes that an entry which had already been forgotten was gone, or has been removed.
    mutating func didEvict(_ entry: DiskIndexEntry, isOwn: Bool) {
        // A walk may have taken it in meanwhile, from what it had seen before.
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

    /// Takes an entry back in that could not be removed; its turn comes again behind all that there is now.
    mutating func putBack(_ entry: DiskIndexEntry, behind order: Timestamp) {
        change(entry.name.folderIndex) { shard in
            shard.index.insert(entry)
            shard.index.putOff(entry.name, to: order.nanosecondsSince1970)
        }
    }

    // MARK: What must leave

    /// What the known entries may be, for all of them to be within `whole`.
    ///
    /// Others may have written what is not known yet; and a folder that nobody could list is taken to hold
    /// as much as the others on average.
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

    /// Whether what is known, and what is guessed of the rest, is more than there may be.
    func isExceeded(_ rules: DiskRules) -> Bool {
        usage.exceeds(share(of: rules.limits))
    }

    /// A portion of the entries that must leave where a limit is exceeded or an eviction is owed, down to 95
    /// % of it; their turns are reserved.
    ///
    /// `order` is the place among all uses behind which an entry goes that somebody is working on.
    mutating func planEviction(_ rules: DiskRules, order: Timestamp) -> [DiskIndexEntry] {
        owesEviction = owesEviction || isExceeded(rules)
        guard owesEviction else { return [] }
        let target = share(of: rules.target)
        // What is within the limits stays, though it is alone more than the target.
        let keptCount = isExceeded(rules) ? 0 : 1
        let evicted = planEviction(to: target, keeping: keptCount, order: order)
        owesEviction = usage.exceeds(target) && usage.entryCount > keptCount
        return evicted
    }

    /// A portion of the entries that must leave for the known ones to be within `target`; their turns are
    /// reserved.
    ///
    /// While a barrier runs nothing can leave, since every turn is taken.
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
                // It is being written or removed; either way it will not be what it is now.
                sparedCount += 1
                change(name.folderIndex) { $0.index.putOff(name, to: order.nanosecondsSince1970) }
            }
        }
        leavingCount += evicted.count
        return evicted
    }

    /// The entry that leaves first of all.
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
    /// The difference, 0 at least and what fits at most.
    fileprivate func subtractingClamped(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? .max : Swift.max(0, difference)
    }
}

extension StoreUsage {
    /// Whether there are more entries, or more bytes.
    func exceeds(_ limits: StoreUsage) -> Bool {
        byteCount > limits.byteCount || entryCount > limits.entryCount
    }
}
