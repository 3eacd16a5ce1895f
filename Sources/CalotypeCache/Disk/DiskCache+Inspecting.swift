import CalotypeCore
import CalotypeSupport

/// Looking at all entries; a walk gives its thread back after each of the 256 folders.
extension DiskCache {
    /// All entries, in no order; what cannot be read as an entry is left out.
    ///
    /// - Throws: ``DiskCacheError`` where the directory cannot be read; `CancellationError`.
    public func entries() async throws -> [DiskEntry] {
        var entries: [DiskEntry] = []
        try await forEachEntry { cache, entry throws(FileError) in
            guard case .found(let stored) = try cache.reader.readRecord(entry.name, key: nil) else {
                return nil
            }
            return cache.describe(stored, entry)
        } then: {
            entries += $0
        }
        return entries
    }

    /// Forgets the entries whose keys a closure picks; every entry's record is read for its key.
    ///
    /// - Parameter isRemoved: Whether the entry of a key is to go; called on threads of the cache's own.
    /// - Returns: How many there were.
    /// - Throws: ``DiskCacheError``; `CancellationError`. Entries may have gone by then.
    @discardableResult
    public func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        var keys: [String] = []
        try await forEachEntry { cache, entry throws(FileError) in
            guard case .found(let stored) = try cache.reader.readRecord(entry.name, key: nil) else {
                return nil
            }
            return isRemoved(stored.record.key) ? stored.record.key : nil
        } then: {
            keys += $0
        }
        var count = 0
        for key in keys where try await removeBlob(forKey: key) { count += 1 }
        return count
    }

    private func describe(_ stored: StoredEntry, _ entry: DiskIndexEntry) -> DiskEntry {
        let (accessedAt, expiresAt) = dates(of: stored, entry.name)
        return DiskEntry(
            key: stored.record.key,
            path: layout.path(of: entry.name),
            byteCount: stored.status.byteCount,
            writtenAt: stored.record.writtenAt,
            accessedAt: accessedAt,
            expiresAt: expiresAt
        )
    }

    /// Reads every entry from end to end and checks it; files that are not named like ours are not touched.
    ///
    /// - Parameters:
    ///   - removesCorrupt: Whether what fails is removed; off by default.
    ///   - progress: Told now and then how far it is, at most 256 times.
    /// - Returns: What was found.
    /// - Throws: ``DiskCacheError`` where the directory cannot be read; `CancellationError`.
    public func verify(
        removesCorrupt: Bool = false,
        progress: (DiskProgress) -> Void = { _ in }
    ) async throws -> DiskVerification {
        let totalCount = try await usage().entryCount
        var report = DiskVerification()
        try await forEachEntry { cache, entry throws(FileError) in
            try cache.verify(entry, removesCorrupt: removesCorrupt)
        } then: { outcomes in
            for outcome in outcomes { report.add(outcome) }
            progress(DiskProgress(finishedCount: report.checkedCount, totalCount: totalCount))
        }
        return report
    }

    /// Reads one entry; `nil` where it has been removed meanwhile.
    private func verify(
        _ entry: DiskIndexEntry,
        removesCorrupt: Bool
    ) throws(FileError) -> DiskVerification.Outcome? {
        switch try reader.read(entry.name, key: nil) {
        case .missing: return nil
        case .found: return .sound
        case .damaged(let damage, let identity):
            let failure = DiskVerification.Failure(path: layout.path(of: entry.name), reason: damage.rawValue)
            let isRemoved = removesCorrupt && removeInReservedTurn(entry.name, ifStill: identity)
            return .corrupt(failure, isRemoved: isRemoved)
        }
    }

    /// Forgets what has expired.
    ///
    /// - Returns: What was removed.
    /// - Throws: ``DiskCacheError`` where the directory cannot be read; `CancellationError`.
    @discardableResult
    public func removeExpired() async throws -> StoreUsage {
        var removed = StoreUsage()
        try await forEachEntry { cache, entry throws(FileError) in
            try cache.removeIfExpired(entry) ? entry.byteCount : nil
        } then: { byteCounts in
            removed.entryCount += byteCounts.count
            removed.byteCount += byteCounts.reduce(0, +)
        }
        return removed
    }

    func removeIfExpired(_ entry: DiskIndexEntry) throws(FileError) -> Bool {
        guard case .found(let stored) = try reader.readRecord(entry.name, key: nil),
            isExpired(stored, entry.name)
        else { return false }
        return removeInReservedTurn(entry.name, ifStill: stored.status.identity)
    }

    /// Removes an entry in its turn, unless somebody has the turn: then it is being written, and is new.
    private func removeInReservedTurn(_ name: EntryName, ifStill identity: FileIdentity) -> Bool {
        guard state.withLock({ $0.queue.reserve(name) }) else { return false }
        defer { endReservedTurn(name) }
        return removeCounting(name, ifStill: identity)
    }

    /// Works on all entries, on a thread of the pool, and reports to the caller's side what came of each
    /// folder's.
    private func forEachEntry<Value: Sendable>(
        _ work: @escaping @Sendable (DiskCache, DiskIndexEntry) throws(FileError) -> Value?,
        then report: ([Value]) -> Void
    ) async throws {
        // Behind everything that was issued before.
        try await perform(.barrier) { _ in }
        for index in 0..<256 {
            try Task.checkCancellation()
            report(
                try await pool.run { () throws(DiskCacheError) in try self.values(inFolderAt: index, work) }
            )
        }
    }

    private func values<Value>(
        inFolderAt index: Int,
        _ work: (DiskCache, DiskIndexEntry) throws(FileError) -> Value?
    ) throws(DiskCacheError) -> [Value] {
        var values: [Value] = []
        do throws(FileError) {
            for entry in try directory.entries(inFolderAt: index) {
                if let value = try work(self, entry) { values.append(value) }
            }
        } catch {
            throw DiskCacheError(error, path: layout.base)
        }
        return values
    }
}

extension DiskVerification {
    fileprivate enum Outcome {
        case sound
        case corrupt(Failure, isRemoved: Bool)
    }

    fileprivate mutating func add(_ outcome: Outcome) {
        checkedCount += 1
        guard case .corrupt(let failure, let isRemoved) = outcome else { return }
        corruptCount += 1
        repairedCount += isRemoved ? 1 : 0
        if failures.count < Self.failureCountMax { failures.append(failure) }
    }
}
