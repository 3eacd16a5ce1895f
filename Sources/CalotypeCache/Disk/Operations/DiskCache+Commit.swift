import CalotypeCore
import CalotypeSupport

/// Writing an entry, and what must leave for it; all of it blocks.
extension DiskCache {
    /// Writes an entry in its key's turn, and enforces the limits.
    ///
    /// On a full disk the cache makes room once, at its own expense, and tries again.
    ///
    /// - Parameters:
    ///   - record: What the entry's record says.
    ///   - name: The entry.
    ///   - write: Puts the entry in place; `nil` where there was nothing to write any more.
    /// - Returns: Whether the entry was written.
    /// - Throws: Why it could not be; the earlier entry stays.
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

    /// Takes a written entry in, and lets leave what must for the limits to hold.
    ///
    /// Of what must leave for the next writes not to wait, a portion leaves now and the rest in the
    /// background.
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
        for _ in 0..<Self.portionCountMax {
            let evicted = state.withLock { state in
                state.isExceeded(rules) ? state.planEviction(rules, order: entry.accessedAt) : []
            }
            guard removeEvicted(evicted).goneCount > 0 else { break }
        }
        maintain()
    }

    /// How many portions more a write removes itself before it leaves the rest to the background.
    private static let portionCountMax = 4

    /// The place of a use, or of a write, that happens now, behind all before it.
    func nextUse() -> Timestamp {
        let now = configuration.timeSource.now()
        return front.withLock { $0.clock.next(now) }
    }

    /// Whether an entry may be written: it fits, and the limits can be held.
    private func checkSize(_ record: EntryRecord) throws(DiskCacheError) {
        let limit = front.withLock { min($0.rules?.sizeLimit ?? .max, EntryRecord.fileByteCountMax) }
        guard record.fileByteCount <= limit else {
            throw DiskCacheError(
                code: .entryTooLarge,
                detail:
                    "an entry of \(record.fileByteCount) bytes does not fit into \(limit);"
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

    /// Evicts a twentieth of the cache, at least twice what is needed; returns whether anything left.
    ///
    /// Where nothing is known yet, folders are looked through until there is.
    private func makeRoom(forByteCount byteCount: Int) -> Bool {
        let usage = state.withLock { $0.usage }
        let share = max(usage.byteCount / 20, 2 * byteCount)
        var isFreed = false
        for _ in 0..<Self.portionCountMax {
            let (evicted, _) = planEviction(toByteCount: max(0, usage.byteCount - share))
            if removeEvicted(evicted).goneCount > 0 {
                isFreed = true
            } else if isFreed || !walkNextFolder() {
                break
            }
        }
        return isFreed
    }

    /// A portion of what must leave for so many bytes to remain, and whether a barrier holds it back.
    func planEviction(toByteCount byteCount: Int) -> (entries: [DiskIndexEntry], isHeldBack: Bool) {
        let order = nextUse()
        return state.withLock { state in
            let target = StoreUsage(entryCount: .max, byteCount: byteCount)
            return (state.planEviction(to: target, order: order), state.queue.isBarrierRunning)
        }
    }

    /// Removes entries whose turns have been reserved.
    ///
    /// One that another process has renewed meanwhile stays, and so does one that cannot be removed: both are
    /// taken in again, so that they are counted, and the latter's turn comes once more behind all others.
    ///
    /// - Returns: What was removed, and how many entries there are no more: others may have removed some.
    @discardableResult
    func removeEvicted(_ entries: [DiskIndexEntry]) -> (removed: StoreUsage, goneCount: Int) {
        guard !entries.isEmpty else { return (StoreUsage(), 0) }
        let (removed, goneCount) = removeFiles(of: entries)
        state.withLock { $0.leavingCount -= entries.count }
        if removed.entryCount > 0 {
            front.withLock { $0.statistics.evictionCount += removed.entryCount }
        }
        // Somebody may wait for the files to be gone.
        maintain()
        return (removed, goneCount)
    }

    private func removeFiles(of entries: [DiskIndexEntry]) -> (removed: StoreUsage, goneCount: Int) {
        var removed = StoreUsage()
        var goneCount = 0
        for entry in entries {
            do {
                switch try remover.remove(entry.name, ifStill: entry.identity) {
                case .removed:
                    removed = removed + StoreUsage(entryCount: 1, byteCount: entry.byteCount)
                    goneCount += 1
                    state.withLock { $0.didEvict(entry, isOwn: true) }
                case .absent:
                    goneCount += 1
                    state.withLock { $0.didEvict(entry, isOwn: false) }
                case .replaced(let status): takeIn(entry.name, status)
                }
            } catch {
                front.withLock { $0.statistics.maintenanceFailureCount += 1 }
                let order = nextUse()
                state.withLock { $0.putBack(entry, behind: order) }
            }
            endReservedTurn(entry.name)
        }
        return (removed, goneCount)
    }

    /// Takes an entry in whose file another has put in place.
    func takeIn(_ name: EntryName, _ status: FileStatus) {
        let now = nextUse()
        let entry = DiskIndexEntry(name: name, status: status, now: now)
        change(name.folderIndex) { $0.index.merge(entry) }
    }
}
