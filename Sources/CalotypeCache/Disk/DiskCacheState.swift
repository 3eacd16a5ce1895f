import CalotypeCore
import FoundationEssentials

/// Everything a disk cache changes while it runs; pure, reached under one lock.
struct DiskCacheState: Sendable {
    /// A turn's work; it returns what tells the caller, to be called once the turn has ended.
    typealias Work = @Sendable () -> @Sendable () -> Void

    /// What is known of the files.
    var index = DiskIndex(policy: LRUDiskPolicy())
    /// Who may change which entry when.
    var queue = KeyedQueue<EntryName, Work>()
    /// What reads see of writes that have been issued and have not ended.
    var staged = StagedWrites()
    /// What has been counted.
    var statistics = DiskStatistics()
    /// Whether entries that are in memory can be read without waiting.
    var cachedReads = CachedReads.untried
    /// The rules in force; `nil` until the directory has been opened.
    var rules: DiskRules?
    /// Where the walk through the directory stands.
    var scan = ScanState()
    /// Last uses that the files do not know of yet.
    var uses = UnwrittenUses()
    /// Expiries of their own that entries have, of those that this process has written or read.
    private var ownExpiries: [EntryName: Expiry] = [:]
    /// Whether anything was written by this cache.
    var hasWritten = false
    /// Whether the cache has been closed.
    var isClosed = false
    /// Why the directory could not be opened fully; reads go on.
    var openingError: DiskCacheError?

    /// Takes a written entry in, and says which must leave for it; their turns are reserved.
    mutating func didWrite(_ entry: DiskIndexEntry, expiry: Expiry?) -> [DiskIndexEntry] {
        index.insert(entry)
        ownExpiries[entry.name] = expiry
        scan.didChange(entry.name, writtenByteCount: entry.byteCount)
        uses.forget(entry.name)
        statistics.writeCount += 1
        hasWritten = true
        return planEviction()
    }

    /// Forgets an entry whose file is gone.
    mutating func didRemove(_ name: EntryName) {
        index.remove(name)
        didForget(name)
    }

    /// Forgets an entry that a walk did not find any more.
    mutating func didVanish(_ name: EntryName) {
        index.remove(name)
        ownExpiries[name] = nil
    }

    private mutating func didForget(_ name: EntryName) {
        scan.didChange(name, writtenByteCount: 0)
        uses.forget(name)
        ownExpiries[name] = nil
    }

    /// Notes a use; returns whether it is time to write the uses back.
    mutating func didUse(_ name: EntryName, at time: Timestamp, expiry: Expiry?) -> Bool {
        statistics.hitCount += 1
        index.touch(name, at: time)
        if let expiry, index.entry(name) != nil { ownExpiries[name] = expiry }
        return uses.note(name, at: time)
    }

    /// The entries whose time has passed by what is known of them; their records have the last word.
    func entriesPastTime(_ now: Timestamp) -> [DiskIndexEntry] {
        let rule = rules?.expiry ?? .never
        return index.entries.filter { entry in
            let expiry = ownExpiries[entry.name] ?? rule
            let writtenAt = entry.identity.writtenAt
            guard let date = expiry.expiryDate(writtenAt: writtenAt, accessedAt: entry.accessedAt) else {
                return false
            }
            return date <= now
        }
    }

    /// When an entry was last used, as far as anybody knows, and when it stops being served.
    func dates(of entry: StoredEntry, _ name: EntryName) -> (accessedAt: Timestamp, expiresAt: Timestamp?) {
        // A use may have been written to the file since it was looked at: then only the index knows of it.
        let known = uses[name] ?? index.entry(name)?.accessedAt ?? entry.status.accessedAt
        let accessedAt = max(entry.record.writtenAt, entry.status.accessedAt, known)
        return (accessedAt, expiry(of: entry.record, accessedAt: accessedAt))
    }

    /// When an entry stops being served: by its own rule, else by the directory's.
    func expiry(of record: EntryRecord, accessedAt: Timestamp) -> Timestamp? {
        (record.expiry ?? rules?.expiry ?? .never).expiryDate(
            writtenAt: record.writtenAt,
            accessedAt: accessedAt
        )
    }

    /// Whether this process has written its share of a thirty-second of a limit since the last walk began.
    var isScanDue: Bool {
        guard let rules else { return false }
        let shareCount = 32 * (scan.otherWriterCount + 1)
        return scan.written.byteCount > rules.sizeLimit / shareCount
            || scan.written.entryCount > rules.countLimit / shareCount
    }

    /// The entries that must leave where a limit is exceeded, down to 95 % of it; their turns are reserved.
    mutating func planEviction() -> [DiskIndexEntry] {
        guard let rules else { return [] }
        let unseen = scan.unseenUsage(under: rules)
        var usage = index.usage
        usage.byteCount += unseen.byteCount
        usage.entryCount += unseen.entryCount
        guard rules.isExceeded(by: usage) else { return [] }
        return planEviction(
            toByteCount: max(0, rules.target.byteCount - unseen.byteCount),
            count: max(0, rules.target.entryCount - unseen.entryCount)
        )
    }

    /// The entries that must leave for the rest to fit; their turns are reserved.
    mutating func planEviction(toByteCount byteCount: Int, count: Int = .max) -> [DiskIndexEntry] {
        let busy = queue
        let evicted = index.evict(toByteCount: byteCount, count: count) { busy.isBusy($0) }
        for entry in evicted {
            didForget(entry.name)
            let isReserved = queue.reserve(entry.name)
            assert(isReserved, "an entry whose turn somebody has is spared")
        }
        return evicted
    }
}

/// Whether the system can read what is in memory without waiting for anything.
enum CachedReads: Sendable {
    /// Nobody knows yet; a thread that may wait is to find out.
    case untried
    case possible
    /// The system, or the file system, cannot tell whether it would have to wait.
    case impossible
}

/// The limits and the expiry in force, with defaults filled in.
struct DiskRules: Hashable, Sendable {
    var sizeLimit: Int
    var countLimit: Int
    var expiry: Expiry
    /// The size limit where nobody has set one, until the entries have been counted; `nil` otherwise.
    var pendingDefault: Int?

    /// Puts the default size limit in force; it bounds growth and takes nothing that is there already.
    ///
    /// A disk that others have filled would otherwise empty the cache of whoever opens it next.
    mutating func settleDefault(byteCount: Int) {
        guard let pendingDefault else { return }
        sizeLimit = max(pendingDefault, min(sizeLimit, byteCount))
        self.pendingDefault = nil
    }

    /// Where an eviction stops: 95 % of the limits, so that not every write evicts.
    var target: StoreUsage {
        StoreUsage(
            entryCount: countLimit - countLimit / 20,
            byteCount: sizeLimit - sizeLimit / 20
        )
    }

    func isExceeded(by usage: StoreUsage) -> Bool {
        usage.byteCount > sizeLimit || usage.entryCount > countLimit
    }
}

/// Where the walk through the directory stands.
struct ScanState: Sendable {
    enum Phase: Sendable {
        case pending
        case running
        case finished(DiskCacheError?)
    }

    var phase = Phase.pending
    /// Whether a walk has succeeded.
    private var hasCounted = false
    /// Names that changed while the walk runs: what it saw of them may be older.
    private(set) var changed: Set<EntryName> = []
    /// Bytes and entries written since the last walk began; what others wrote meanwhile is unknown.
    private(set) var written = StoreUsage()
    /// When the folder of writers had last changed, as of the last look for other processes.
    var companyCheckedAt: Timestamp?
    /// How many other processes were writing into the directory at the last look.
    var otherWriterCount = 0
    /// Whether something changed that the walk under way may have missed.
    var mustRunAgain = false
    /// Who waits for the walk to end.
    var waiters: [CheckedContinuation<Void, Never>] = []

    var isRunning: Bool {
        if case .running = phase { true } else { false }
    }

    mutating func didChange(_ name: EntryName, writtenByteCount: Int) {
        if case .finished = phase {
            // Nobody compares; only the amount counts.
        } else {
            changed.insert(name)
        }
        guard writtenByteCount > 0 else { return }
        written.byteCount += writtenByteCount
        written.entryCount += 1
    }

    /// What others may have written since the last walk: as much as this process each, a tenth of the limits
    /// at most.
    func unseenUsage(under rules: DiskRules) -> StoreUsage {
        guard otherWriterCount > 0 else { return StoreUsage() }
        return StoreUsage(
            entryCount: min(written.entryCount * otherWriterCount, rules.countLimit / 10),
            byteCount: min(written.byteCount * otherWriterCount, rules.sizeLimit / 10)
        )
    }

    mutating func begin() {
        phase = .running
        mustRunAgain = false
        changed = []
        written = StoreUsage()
    }

    /// Ends a walk; one that fails after another has succeeded leaves what is known, for the next to correct.
    mutating func end(_ error: DiskCacheError?) -> [CheckedContinuation<Void, Never>] {
        hasCounted = hasCounted || error == nil
        phase = .finished(hasCounted ? nil : error)
        changed = []
        defer { waiters = [] }
        return waiters
    }
}

/// Last uses, kept in memory until there are enough to be worth a round of writing.
struct UnwrittenUses: Sendable {
    /// How many may wait.
    static let countMax = 8192
    /// How long the first may wait.
    static let delayMax = Duration.seconds(60)

    private var times: [EntryName: Timestamp] = [:]
    /// Those on their way to the files; until they are there, a reader may see what a file knew before.
    private var leaving: [EntryName: Timestamp] = [:]
    private var firstAt: Timestamp?

    /// The last use of an entry that its file may not know of.
    subscript(name: EntryName) -> Timestamp? { times[name] ?? leaving[name] }

    /// Notes a use; returns whether it is time to write them back.
    mutating func note(_ name: EntryName, at time: Timestamp) -> Bool {
        times[name] = time
        let first = firstAt ?? time
        firstAt = first
        return times.count >= Self.countMax || time.duration(since: first) >= Self.delayMax
    }

    mutating func forget(_ name: EntryName) {
        times[name] = nil
        leaving[name] = nil
    }

    /// The uses to write; one thread at a time writes them.
    mutating func beginWriting() -> [EntryName: Timestamp] {
        assert(leaving.isEmpty, "two threads write uses")
        leaving = times
        times = [:]
        firstAt = nil
        return leaving
    }

    mutating func endWriting() {
        leaving = [:]
    }
}
