import CalotypeCore
import CalotypeSupport

/// Background work in small steps on its own thread: counting entries, rescanning folders, deferred
/// evictions, and removal of expired entries.
///
/// All of it blocks, except waiting for it.
extension DiskCache {
    fileprivate enum Chore: Sendable {
        case evict([DiskIndexEntry])
        case walk(DirectoryWalk.Turn)
        case expire(folder: Int)
    }

    /// Starts the background thread if there is work.
    func maintain() {
        let begins = state.withLock { state in
            guard !state.isMaintaining, !state.isClosed, state.hasChores else { return false }
            state.isMaintaining = true
            return true
        }
        if begins { maintenancePool.enqueue { self.doChores() } }
    }

    /// Runs one chore, then enqueues the next: other work may need the thread too.
    private func doChores() {
        switch nextChore() {
        case .evict(let entries): evictOwed(entries)
        case .walk(let turn): walk(turn)
        case .expire(let folder): removeKnownExpired(inFolderAt: folder)
        case nil: return
        }
        maintenancePool.enqueue { self.doChores() }
    }

    /// Returns the next chore; if there is none, ends the thread's work and resumes the waiters.
    private func nextChore() -> Chore? {
        let rules = front.withLock { $0.rules }
        let order = nextUse()
        let (chore, waiters) = state.withLock { state -> (Chore?, [@Sendable (DiskCacheError?) -> Void]) in
            if let chore = state.nextChore(rules, order: order) { return (chore, []) }
            state.isMaintaining = false
            return (nil, state.takeWaiters())
        }
        for waiter in waiters { waiter(nil) }
        return chore
    }

    /// Evicts a portion; if no file of it can be removed, the next write tries again.
    private func evictOwed(_ entries: [DiskIndexEntry]) {
        guard removeEvicted(entries).goneCount == 0 else { return }
        state.withLock { $0.owesEviction = false }
    }

    /// Scans the next folder that is due; returns `false` if none is.
    func walkNextFolder() -> Bool {
        guard let turn = state.withLock({ $0.walk.nextTurn() }) else { return false }
        walk(turn)
        // A task may be waiting for this folder, the last one.
        maintain()
        return true
    }

    /// Returns once every entry has been counted and excess entries have been evicted.
    ///
    /// - Throws: ``DiskCacheError/Code/closed``; the opening error if the directory is not trusted.
    func waitUntilSettled() async throws(DiskCacheError) {
        let error: DiskCacheError? = await handedOver { handOver in
            let isOver = state.withLock { state -> Bool in
                guard !state.isClosed, !state.isSettled else { return true }
                state.waiters.append(handOver)
                return false
            }
            if isOver { handOver(state.withLock(\.isClosed) ? .closed : nil) }
            // No other task may start the pending work.
            maintain()
            // An untrusted directory is never counted. The task that detects it resumes all waiters, either
            // those here or, if it runs later, itself.
            if front.withLock(\.isRefused) {
                for waiter in state.withLock({ $0.takeAllWaiters() }) { waiter(nil) }
            }
        }
        if let error { throw error }
        try throwIfRefused()
    }

    // MARK: Scanning a folder

    /// Scans one folder: adds its entries to the index, and removes those that no longer exist.
    private func walk(_ turn: DirectoryWalk.Turn) {
        // One folder at a time: a walk records the changes made meanwhile.
        walking.withLock { _ in walk(turn, turn.folder) }
    }

    private func walk(_ turn: DirectoryWalk.Turn, _ folder: Int) {
        change(folder) { $0.beginWalk() }
        var problem: FileError?
        var isAhead = false
        do {
            let clock = configuration.timeSource.now
            let entries = try directory.entries(inFolderAt: folder, clock: clock) { name, now in
                // A date in the future is corrected; otherwise the entry would be the most recently used for
                // other processes too.
                isAhead = shards[folder].state.withLock { $0.uses.noteUnlessKnown(name, at: now) } || isAhead
            }
            takeIn(entries, folder)
            forgetUnseen(folder)
        } catch {
            problem = error
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
        if isAhead { writeUses(inFolderAt: folder) }
        state.withLock { [problem] state in
            state.change(folder) { $0.endWalk() }
            if problem == nil { state.neighbours.didWalk(folder) }
            guard state.walk.end(turn, problem) else { return }
            // Done together: a task that waits for the count also waits for excess entries to be evicted.
            let usage = state.usage
            let rules = front.withLock { front in
                front.rules?.settleDefault(byteCount: usage.byteCount)
                return front.rules
            }
            if let rules { state.owesEviction = state.owesEviction || state.isExceeded(rules) }
        }
    }

    /// Adds scanned entries in portions, so that no task waits long for a lock.
    private func takeIn(_ entries: [DiskIndexEntry], _ folder: Int) {
        change(folder) { $0.index.reserveCapacity(entries.count) }
        var rest = entries[...]
        while !rest.isEmpty {
            let portion = rest.prefix(Self.portion)
            rest = rest.dropFirst(Self.portion)
            change(folder) { $0.takeIn(portion) }
        }
    }

    private func forgetUnseen(_ folder: Int) {
        var next: Int? = 0
        while let start = next {
            next = change(folder) { $0.forgetUnseen(from: start, count: Self.portion) }
        }
    }

    @discardableResult
    func change<Result: Sendable>(_ folder: Int, _ body: (inout DiskShard) -> Result) -> Result {
        state.withLock { $0.change(folder, body).result }
    }

    /// The number of entries processed at once under a lock.
    static let portion = 512

    // MARK: Expired entries

    /// Removes the entries known to be expired, without reading every record.
    ///
    /// These are entries expired by the directory's rule, and entries with their own expiry that this process
    /// has written or read. Blocks.
    func removeKnownExpired() {
        for folder in shards.indices { removeKnownExpired(inFolderAt: folder) }
    }

    private func removeKnownExpired(inFolderAt folder: Int) {
        guard let rules = front.withLock(\.rules) else { return }
        let now = configuration.timeSource.now()
        var next: Int? = 0
        while let start = next {
            let expired = shards[folder].state.withLock {
                $0.entriesPastTime(now, rules: rules, from: start, count: Self.portion)
            }
            next = expired.next
            for entry in expired.entries { removeIfStillExpired(entry) }
        }
    }

    private func removeIfStillExpired(_ entry: DiskIndexEntry) {
        do {
            _ = try removeIfExpired(entry)
        } catch  where error.leavesNothingThere {
            return
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
    }
}

extension DiskCacheState {
    fileprivate var hasChores: Bool {
        (owesEviction && !queue.isBarrierRunning) || walk.isTurnDue || expiryDebt > 0 || !waiters.isEmpty
    }

    fileprivate mutating func nextChore(_ rules: DiskRules?, order: Timestamp) -> DiskCache.Chore? {
        guard !isClosed else { return nil }
        if owesEviction, let rules {
            let evicted = planEviction(rules, order: order)
            if !evicted.isEmpty { return .evict(evicted) }
            if !queue.isBarrierRunning { owesEviction = false }
        }
        if let turn = walk.nextTurn() { return .walk(turn) }
        guard expiryDebt > 0 else { return nil }
        expiryDebt -= 1
        defer { expiryCursor = (expiryCursor + 1) % DirectoryWalk.folderCount }
        return .expire(folder: expiryCursor)
    }

    fileprivate mutating func takeWaiters() -> [@Sendable (DiskCacheError?) -> Void] {
        guard isSettled else { return [] }
        defer { waiters = [] }
        return waiters
    }
}
