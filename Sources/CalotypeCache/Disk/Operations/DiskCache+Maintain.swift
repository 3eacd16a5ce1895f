import CalotypeCore
import CalotypeSupport

/// What is done in the background, a little at a time, on a thread of its own: counting, looking again,
/// evicting what a write did not wait for, and removing what has expired. All of it blocks but the waiting.
extension DiskCache {
    fileprivate enum Chore: Sendable {
        case evict([DiskIndexEntry])
        case walk(DirectoryWalk.Turn)
        case expire(folder: Int)
    }

    /// Lets the thread begin where there is something to do.
    func maintain() {
        let begins = state.withLock { state in
            guard !state.isMaintaining, !state.isClosed, state.hasChores else { return false }
            state.isMaintaining = true
            return true
        }
        if begins { maintenancePool.enqueue { self.doChores() } }
    }

    /// Does one thing, and gets in line for the next: others may need the thread too.
    private func doChores() {
        switch nextChore() {
        case .evict(let entries): evictOwed(entries)
        case .walk(let turn): walk(turn)
        case .expire(let folder): removeKnownExpired(inFolderAt: folder)
        case nil: return
        }
        maintenancePool.enqueue { self.doChores() }
    }

    /// What is to be done next; where that is nothing, the thread ends and those who wait go on.
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

    /// Where nothing of a portion can be removed, the next write tries again.
    private func evictOwed(_ entries: [DiskIndexEntry]) {
        guard removeEvicted(entries).goneCount == 0 else { return }
        state.withLock { $0.owesEviction = false }
    }

    /// Looks one folder through that is due; returns whether there was one.
    func walkNextFolder() -> Bool {
        guard let turn = state.withLock({ $0.walk.nextTurn() }) else { return false }
        walk(turn)
        // It may have been the last one that somebody waits for.
        maintain()
        return true
    }

    /// Returns once every entry has been counted, and what is too much has left.
    ///
    /// - Throws: That the cache has been closed.
    func waitUntilSettled() async throws(DiskCacheError) {
        let error: DiskCacheError? = await handedOver { handOver in
            let isOver = state.withLock { state -> Bool in
                guard !state.isClosed, !state.isSettled else { return true }
                state.waiters.append(handOver)
                return false
            }
            if isOver { handOver(state.withLock(\.isClosed) ? .closed : nil) }
            // Nobody else may come to do what is owed.
            maintain()
            // One that is not to be trusted is never counted; whoever tells so takes all who wait, or comes
            // later.
            if front.withLock(\.isRefused) {
                for waiter in state.withLock({ $0.takeAllWaiters() }) { waiter(nil) }
            }
        }
        if let error { throw error }
        try throwIfRefused()
    }

    // MARK: Looking through a folder

    /// Looks one folder through: takes in what is there, and forgets what is not any more.
    private func walk(_ turn: DirectoryWalk.Turn) {
        // One folder at a time: a walk notes what changes meanwhile.
        walking.withLock { _ in walk(turn, turn.folder) }
    }

    private func walk(_ turn: DirectoryWalk.Turn, _ folder: Int) {
        change(folder) { $0.beginWalk() }
        var problem: FileError?
        var isAhead = false
        do {
            let clock = configuration.timeSource.now
            let entries = try directory.entries(inFolderAt: folder, clock: clock) { name, now in
                // A date ahead of the clock is put right, or it would be the latest for whoever comes next
                // too.
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
            // All at once: whoever waits for the count also waits for what is too much to be gone.
            let usage = state.usage
            let rules = front.withLock { front in
                front.rules?.settleDefault(byteCount: usage.byteCount)
                return front.rules
            }
            if let rules { state.owesEviction = state.owesEviction || state.isExceeded(rules) }
        }
    }

    /// Takes in what was seen, in portions, so that nobody waits long for a lock.
    private func takeIn(_ entries: [DiskIndexEntry], _ folder: Int) {
        change(folder) { $0.index.reserveCapacity(entries.count) }
        var rest = entries[...]
        while !rest.isEmpty {
            let portion = rest.prefix(Self.portion)
            rest = rest.dropFirst(Self.portion)
            change(folder) { $0.takeIn(portion) }
        }
    }

    /// Forgets entries that other processes have removed.
    private func forgetUnseen(_ folder: Int) {
        var next: Int? = 0
        while let start = next {
            next = change(folder) { $0.forgetUnseen(from: start, count: Self.portion) }
        }
    }

    /// Changes what is known of a folder.
    @discardableResult
    func change<Result: Sendable>(_ folder: Int, _ body: (inout DiskShard) -> Result) -> Result {
        state.withLock { $0.change(folder, body).result }
    }

    /// How many entries are worked on at once under a lock.
    static let portion = 512

    // MARK: What has expired

    /// Removes what has expired by what this process knows, without reading every record.
    ///
    /// That is what the directory's rule is over for, and entries with an expiry of their own that it has
    /// written or read. Blocks.
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
    /// Whether there may be something to do in the background.
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

    /// Those who wait, where they need not any more.
    fileprivate mutating func takeWaiters() -> [@Sendable (DiskCacheError?) -> Void] {
        guard isSettled else { return [] }
        defer { waiters = [] }
        return waiters
    }
}
