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
            let entry = DiskIndexEntry(
                name: name,
                byteCount: record.fileByteCount,
                accessedAt: record.writtenAt,
                identity: written.identity
            )
            let (evicted, isScanDue) = state.withLock { state in
                (state.didWrite(entry, expiry: record.expiry), state.isScanDue)
            }
            removeEvicted(evicted)
            if isScanDue { scanAgainIfShared() }
            if let problem = written.durabilityProblem {
                throw DiskCacheError(problem, path: layout.path(of: name))
            }
            return true
        } catch {
            state.withLock { $0.statistics.writeFailureCount += 1 }
            throw error
        }
    }

    private func checkSize(_ record: EntryRecord) throws(DiskCacheError) {
        let limit = state.withLock { min($0.rules?.sizeLimit ?? .max, EntryRecord.fileByteCountMax) }
        guard record.fileByteCount > limit else { return }
        throw DiskCacheError(
            code: .entryTooLarge,
            detail:
                "an entry of \(record.fileByteCount) bytes does not fit into \(limit); raise the size limit"
        )
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
    private func makeRoom(forByteCount byteCount: Int) -> Bool {
        let evicted = state.withLock { state in
            let share = max(state.index.byteCount / 20, 2 * byteCount)
            return state.planEviction(toByteCount: max(0, state.index.byteCount - share))
        }
        return removeEvicted(evicted).entryCount > 0
    }

    /// Removes entries whose turns have been reserved; one that another process has renewed meanwhile stays.
    ///
    /// What cannot be removed is taken in again, so that it is counted and its turn comes once more.
    @discardableResult
    func removeEvicted(_ entries: [DiskIndexEntry]) -> StoreUsage {
        var removed = StoreUsage()
        if entries.isEmpty { return removed }
        for entry in entries {
            do {
                if try remover.remove(entry.name, ifStill: entry.identity) == .removed {
                    removed.entryCount += 1
                    removed.byteCount += entry.byteCount
                }
            } catch {
                state.withLock { state in
                    state.index.insert(entry)
                    state.statistics.maintenanceFailureCount += 1
                }
            }
            endReservedTurn(entry.name)
        }
        state.withLock { [removed] in $0.statistics.evictionCount += removed.entryCount }
        return removed
    }

    /// Writes last uses back to the files; without them another process would evict what this one uses.
    ///
    /// Returns once no use that was noted before is left to be written, by whichever thread.
    func writeUses() {
        writingUses.withLock { _ in
            let uses = state.withLock { $0.uses.beginWriting() }
            let failureCount = uses.count { name, time in !writeUse(of: name, at: time) }
            state.withLock { state in
                state.uses.endWriting()
                state.statistics.maintenanceFailureCount += failureCount
            }
        }
    }

    /// Writes one last use back; returns whether it stands in the file, or there is no file any more.
    private func writeUse(of name: EntryName, at time: Timestamp) -> Bool {
        do {
            try fileSystem.setAccessTime(at: layout.path(of: name), to: time)
            return true
        } catch {
            return error.isAbsence
        }
    }
}
