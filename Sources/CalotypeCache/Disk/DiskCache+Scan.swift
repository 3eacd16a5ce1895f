import CalotypeCore
import CalotypeSupport

/// Counting the entries by a walk through the directory; all of it blocks but the waiting.
extension DiskCache {
    /// Begins a walk on a thread of the pool, unless one is under way.
    ///
    /// - Parameter fromTheBeginning: Whether a walk under way may have missed what has changed; then another
    ///   follows it.
    func startScan(fromTheBeginning: Bool = false) {
        let isFirst = state.withLock { state -> Bool? in
            guard !state.isClosed else { return nil }
            guard !state.scan.isRunning else {
                state.scan.mustRunAgain = state.scan.mustRunAgain || fromTheBeginning
                return nil
            }
            defer { state.scan.begin() }
            if case .pending = state.scan.phase { return true }
            return false
        }
        guard let isFirst else { return }
        pool.enqueue { self.scanDirectory(comparing: !isFirst) }
    }

    /// Returns once the first walk has ended.
    ///
    /// - Throws: Why the walk failed.
    func waitForScan() async throws(DiskCacheError) {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if case .finished = state.scan.phase { return true }
                state.scan.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
        if case .finished(let error?) = state.withLock({ $0.scan.phase }) { throw error }
    }

    /// Walks through the directory, takes in what it sees, and enforces the limits.
    ///
    /// - Parameter compares: Whether the index already knew entries, so that those gone must be found out.
    private func scanDirectory(comparing compares: Bool) {
        scanTurn.withLock { _ in walk(comparing: compares) }
    }

    private func walk(comparing compares: Bool) {
        var seen: Set<EntryName> = []
        var problem: DiskCacheError?
        do {
            try directory.forEachFolder { entries in
                if compares { seen.formUnion(entries.lazy.map(\.name)) }
                takeIn(entries)
            }
            if compares { forgetAllBut(seen) }
        } catch {
            problem = DiskCacheError(error, path: layout.base)
        }
        // Who waits for the walk also waits for what it finds too much to be gone.
        removeEvicted(
            state.withLock { state in
                let byteCount = state.index.byteCount
                if problem == nil { state.rules?.settleDefault(byteCount: byteCount) }
                return state.planEviction()
            }
        )
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            if problem != nil { state.statistics.maintenanceFailureCount += 1 }
            guard state.scan.mustRunAgain else { return state.scan.end(problem) }
            state.scan.begin()
            return nil
        }
        guard let waiters else { return pool.enqueue { self.scanDirectory(comparing: true) } }
        for waiter in waiters { waiter.resume() }
    }

    /// Takes in what the walk saw, in portions, so that no query waits long for the lock.
    private func takeIn(_ entries: [DiskIndexEntry]) {
        // Names are spread evenly: one of the 256 folders tells of them all, unless somebody filled it.
        state.withLock { $0.index.reserveCapacity(min(256 * entries.count, 1 << 20)) }
        var rest = entries[...]
        while !rest.isEmpty {
            let portion = rest.prefix(256)
            rest = rest.dropFirst(256)
            state.withLock { state in
                for entry in portion where !state.scan.changed.contains(entry.name) {
                    state.index.merge(entry)
                }
            }
        }
    }

    /// Forgets entries that other processes have removed.
    private func forgetAllBut(_ seen: Set<EntryName>) {
        state.withLock { state in
            for entry in state.index.entries
            where !seen.contains(entry.name) && !state.scan.changed.contains(entry.name) {
                state.didVanish(entry.name)
            }
        }
    }

    /// Walks through the directory again once this process has written a part of the limit and others may
    /// have written too: that is how several processes hold one limit together.
    ///
    /// The write that makes it due waits for it, and so does each that makes it due once more: however late a
    /// thread gets its turn, nobody writes more than that part without having looked.
    func scanAgainIfShared() {
        guard state.withLock(\.isScanDue), hasCompany() else { return }
        scanTurn.withLock { _ in
            let begins = state.withLock { state in
                guard state.isScanDue, case .finished = state.scan.phase, !state.isClosed else {
                    return false
                }
                state.scan.begin()
                return true
            }
            if begins { walk(comparing: true) }
        }
    }

    /// Whether another process writes into the directory, or has begun or ended since this was last asked.
    private func hasCompany() -> Bool {
        do {
            let status = try fileSystem.status(at: layout.temporary)
            let otherCount = max(0, try writerCount(status) - 1)
            return state.withLock { state in
                defer { state.scan.companyCheckedAt = status.writtenAt }
                state.scan.otherWriterCount = otherCount
                return otherCount > 0 || state.scan.companyCheckedAt != status.writtenAt
            }
        } catch {
            state.withLock { $0.statistics.maintenanceFailureCount += 1 }
            return false
        }
    }

    /// How many processes have a folder in the folder of writers.
    private func writerCount(_ status: FileStatus) throws(FileError) -> Int {
        // A folder has a link by its name, one by its own `.`, and one by the `..` of each folder in it.
        // Where a file system does not count so, or there are too many, the folders are counted.
        if status.linkCount > 2 { return status.linkCount - 2 }
        var folderCount = 0
        try fileSystem.list(layout.temporary) { _ in folderCount += 1 }
        return folderCount
    }
}
