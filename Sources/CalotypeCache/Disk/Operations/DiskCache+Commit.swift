import CalotypeCore
import CalotypeSupport

/// Writing an entry and evicting others for it; all of it blocks.
extension DiskCache {
    /// Writes an entry in its key's turn, and enforces the limits.
    ///
    /// If the disk is full, evicts other entries once and retries.
    ///
    /// - Parameters:
    ///   - record: The entry's record.
    ///   - name: The entry.
    ///   - write: Writes the file; returns `nil` if there is nothing to write any more.
    /// - Returns: Whether the entry was written.
    /// - Throws: The failure; the earlier entry stays.
    @discardableResult
    func commit(
        _ record: EntryRecord,
        as name: EntryName,
        _ write: (DiskCache) throws(FileError) -> WrittenEntry?
    ) throws(DiskCacheError) -> Bool {
        do throws(DiskCacheError) {
            try checkSize(record)
            guard let written = try writeMakingRoom(record, as: name, write) else { return false }
            didWrite(
                DiskIndexEntry(
                    name: name,
                    byteCount: record.fileByteCount,
                    accessedAt: nextUse(),
                    identity: written.identity
                ),
                expiry: record.expiry
            )
            if let problem = written.durabilityProblem {
                throw DiskCacheError(problem, path: layout.path(of: name))
            }
            return true
        } catch {
            front.withLock { $0.statistics.writeFailureCount += 1 }
            throw error
        }
    }

    /// Adds a written entry to the index, and evicts entries that exceed the limits.
    ///
    /// It evicts a portion now and leaves the rest to the background, so that later writes need not wait.
    private func didWrite(_ entry: DiskIndexEntry, expiry: Expiry?) {
        let rules = front.withLock { front in
            front.statistics.writeCount += 1
            return front.rules
        }
        guard let rules else { return state.withLock { $0.didWrite(entry, expiry: expiry) } }
        let (evicted, isLookDue) = state.withLock { state in
            state.didWrite(entry, expiry: expiry)
            return (
                state.planEviction(rules, order: entry.accessedAt), state.neighbours.isLookDue(rules)
            )
        }
        removeEvicted(evicted)
        if isLookDue { lookForNeighbours() }
        for _ in 0..<Self.maxPortionCount {
            let evicted = state.withLock { state in
                state.isExceeded(rules) ? state.planEviction(rules, order: entry.accessedAt) : []
            }
            guard removeEvicted(evicted).goneCount > 0 else { break }
        }
        maintain()
    }

    /// The number of further portions that a write removes itself before it leaves the rest to the
    /// background.
    private static let maxPortionCount = 4

    /// Returns the order of a use or write that happens now, after all earlier ones.
    func nextUse() -> Timestamp {
        let now = configuration.timeSource.now()
        return front.withLock { $0.clock.next(now) }
    }

    /// Throws if an entry does not fit or if the limits cannot be enforced.
    private func checkSize(_ record: EntryRecord) throws(DiskCacheError) {
        let limit = front.withLock { min($0.rules?.sizeLimit ?? .max, EntryRecord.maxFileByteCount) }
        guard record.fileByteCount <= limit else {
            throw DiskCacheError(
                .entryTooLarge,
                detail:
                    "the entry has \(record.fileByteCount) bytes, more than \(limit);"
                    + " raise the size limit"
            )
        }
        let problem = state.withLock { state -> FileError? in
            guard state.walk.isBlind else { return nil }
            state.walk.countWrite()
            return state.walk.problem
        }
        guard let problem else { return }
        maintain()
        throw DiskCacheError(problem, path: layout.base)
    }

    private func writeMakingRoom(
        _ record: EntryRecord,
        as name: EntryName,
        _ write: (DiskCache) throws(FileError) -> WrittenEntry?
    ) throws(DiskCacheError) -> WrittenEntry? {
        do throws(FileError) {
            do throws(FileError) {
                return try write(self)
            } catch  where error.isDiskFull {
                guard makeRoom(forByteCount: record.fileByteCount) else { throw error }
                return try write(self)
            }
        } catch {
            throw DiskCacheError(error, path: layout.path(of: name))
        }
    }

    /// Evicts a twentieth of the cache, at least twice the needed bytes; returns whether any entry was
    /// removed.
    ///
    /// If no entry is known yet, lists folders until one is.
    private func makeRoom(forByteCount byteCount: Int) -> Bool {
        let usage = state.withLock { $0.usage }
        let share = max(usage.byteCount / 20, 2 * byteCount)
        var isFreed = false
        for _ in 0..<Self.maxPortionCount {
            let (evicted, _) = planEviction(toByteCount: max(0, usage.byteCount - share))
            if removeEvicted(evicted).goneCount > 0 {
                isFreed = true
            } else if isFreed || !walkNextFolder() {
                break
            }
        }
        return isFreed
    }

    /// Adds an entry to the index whose file another process has written.
    func takeIn(_ name: EntryName, _ status: FileStatus) {
        let now = nextUse()
        let entry = DiskIndexEntry(name: name, status: status, now: now)
        change(name.folderIndex) { $0.index.merge(entry) }
    }
}
