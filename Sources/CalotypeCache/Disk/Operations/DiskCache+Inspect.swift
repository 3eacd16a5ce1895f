public import CalotypeCore
import CalotypeSupport

/// Inspecting all entries; a walk releases its thread after each of the 256 folders.
extension DiskCache {
    /// Returns all readable entries, in no order.
    ///
    /// - Parameter report: Called for each file and folder that cannot be read; does nothing by default.
    /// - Returns: The entries that can be read.
    /// - Throws: ``DiskCacheError`` if the cache is closed or its directory is not trusted;
    ///   `CancellationError`.
    public func entries(unreadable report: (DiskCacheError) -> Void = { _ in }) async throws -> [DiskEntry] {
        var entries: [DiskEntry] = []
        try await forEachEntry { cache, entry throws(FileError) in
            guard case .found(let stored) = try cache.reader.readRecord(entry.name, key: nil) else {
                return nil
            }
            return cache.describe(stored, entry)
        } then: { (found: [DiskEntry], unreadable) in
            entries += found
            for error in unreadable { report(error) }
        }
        return entries
    }

    /// Removes the entries whose keys match a predicate; reads every entry's record for its key.
    ///
    /// - Parameter isRemoved: Whether to remove the entry of a key; called on the cache's own threads.
    /// - Returns: The number of removed entries.
    /// - Throws: ``DiskCacheError`` for the first file or folder that could not be read or removed, after all
    ///   others have been processed; `CancellationError`.
    @discardableResult
    public func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        var keys: [String] = []
        var problem: DiskCacheError?
        try await perform(.fence) { $0.putBackAsides() }
        try await forEachEntry { cache, entry throws(FileError) in
            guard case .found(let stored) = try cache.reader.readRecord(entry.name, key: nil) else {
                return nil
            }
            return isRemoved(stored.record.key) ? stored.record.key : nil
        } then: { (found: [String], unreadable) in
            keys += found
            problem = problem ?? unreadable.first
        }
        var count = 0
        for key in keys {
            do {
                if try await removeBlob(forKey: key) { count += 1 }
            } catch {
                problem = problem ?? error
            }
        }
        if let problem { throw problem }
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

    /// Reads and verifies every entry from end to end; files without an entry's name are not touched.
    ///
    /// - Parameters:
    ///   - removesCorrupt: Whether to remove entries that fail; off by default.
    ///   - progress: Receives the progress, at most 256 times.
    /// - Returns: The failed entries, and the errors of unreadable files.
    /// - Throws: ``DiskCacheError`` if the cache is closed or its directory is not trusted;
    ///   `CancellationError`.
    public func verify(
        removesCorrupt: Bool = false,
        progress: (DiskProgress) -> Void = { _ in }
    ) async throws -> DiskVerification {
        let totalCount = try await countForProgress()
        var report = DiskVerification()
        try await forEachEntry { cache, entry throws(FileError) in
            try cache.verify(entry, removesCorrupt: removesCorrupt)
        } then: { outcomes, unreadable in
            for outcome in outcomes { report.add(outcome) }
            for error in unreadable { report.add(error) }
            progress(DiskProgress(finishedCount: report.checkedCount, totalCount: totalCount))
        }
        return report
    }

    /// Returns the number of entries that could be counted.
    private func countForProgress() async throws(DiskCacheError) -> Int {
        do {
            return try await usage().entryCount
        } catch  where ![.closed, .untrustedDirectory].contains(error.code) {
            return state.withLock { $0.usage.entryCount }
        }
    }

    /// Verifies one entry; returns `nil` if it has been removed meanwhile.
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

    /// Removes expired entries.
    ///
    /// - Returns: The removed entries and bytes.
    /// - Throws: ``DiskCacheError`` for the first file or folder that could not be read, after all others
    ///   have been processed; `CancellationError`.
    @discardableResult
    public func removeExpired() async throws -> StoreUsage {
        var problem: DiskCacheError?
        let removed = try await removeExpired { problem = problem ?? $0 }
        if let problem { throw problem }
        return removed
    }

    /// Removes expired entries, and continues after a file that cannot be read.
    ///
    /// - Parameter report: Called for each file and folder that cannot be read.
    /// - Returns: The removed entries and bytes.
    /// - Throws: ``DiskCacheError`` if the cache is closed or its directory is not trusted;
    ///   `CancellationError`.
    @discardableResult
    public func removeExpired(unreadable report: (DiskCacheError) -> Void) async throws -> StoreUsage {
        try await removeEntries(unreadable: report) { cache, stored, entry in
            cache.isExpired(stored, entry.name)
        }
    }

    /// Removes the entries with no known read or write since a time.
    ///
    /// - Parameter time: Entries used at this time or later stay.
    /// - Returns: The removed entries and bytes.
    /// - Throws: ``DiskCacheError`` for the first file or folder that could not be read, after all others
    ///   have been processed; `CancellationError`.
    @discardableResult
    public func removeBlobs(unusedSince time: Timestamp) async throws -> StoreUsage {
        var problem: DiskCacheError?
        let removed = try await removeEntries {
            problem = problem ?? $0
        } where: { cache, stored, entry in
            cache.dates(of: stored, entry.name).accessedAt < time
        }
        if let problem { throw problem }
        return removed
    }

    private func removeEntries(
        unreadable report: (DiskCacheError) -> Void,
        where isRemoved: @escaping @Sendable (DiskCache, StoredEntry, DiskIndexEntry) -> Bool
    ) async throws -> StoreUsage {
        var removed = StoreUsage()
        try await forEachEntry { cache, entry throws(FileError) in
            try cache.remove(entry, where: isRemoved) ? entry.byteCount : nil
        } then: { byteCounts, unreadable in
            removed.entryCount += byteCounts.count
            removed.byteCount += byteCounts.reduce(0, +)
            for error in unreadable { report(error) }
        }
        return removed
    }

    func removeIfExpired(_ entry: DiskIndexEntry) throws(FileError) -> Bool {
        try remove(entry) { cache, stored, entry in cache.isExpired(stored, entry.name) }
    }

    private func remove(
        _ entry: DiskIndexEntry,
        where isRemoved: (DiskCache, StoredEntry, DiskIndexEntry) -> Bool
    ) throws(FileError) -> Bool {
        guard case .found(let stored) = try reader.readRecord(entry.name, key: nil),
            isRemoved(self, stored, entry)
        else { return false }
        return removeInReservedTurn(entry.name, ifStill: stored.status.identity)
    }

    /// Removes an entry in its turn.
    ///
    /// If the turn is taken, the entry is being changed, so it stays.
    private func removeInReservedTurn(_ name: EntryName, ifStill identity: FileIdentity) -> Bool {
        guard state.withLock({ $0.queue.reserve(name) }) else { return false }
        defer { endReservedTurn(name) }
        return removeCounting(name, ifStill: identity)
    }

    /// Calls `work` for all entries on a pool thread, and reports each folder's values and errors to the
    /// caller.
    private func forEachEntry<Value: Sendable>(
        _ work: @escaping @Sendable (DiskCache, DiskIndexEntry) throws(FileError) -> Value?,
        then report: ([Value], _ unreadable: [DiskCacheError]) -> Void
    ) async throws {
        // Runs after everything that was issued before.
        try await perform(.fence) { _ in }
        for index in 0..<256 {
            try Task.checkCancellation()
            let (values, unreadable) = await pool.run { self.values(inFolderAt: index, work) }
            report(values, unreadable)
        }
    }

    private func values<Value>(
        inFolderAt index: Int,
        _ work: (DiskCache, DiskIndexEntry) throws(FileError) -> Value?
    ) -> ([Value], unreadable: [DiskCacheError]) {
        var values: [Value] = []
        var unreadable: [DiskCacheError] = []
        do throws(FileError) {
            for entry in try directory.entries(inFolderAt: index) {
                do throws(FileError) {
                    if let value = try work(self, entry) { values.append(value) }
                } catch {
                    unreadable.append(DiskCacheError(error, path: layout.path(of: entry.name)))
                }
            }
        } catch {
            let path = "\(layout.base)/\(EntryName.folderName(at: index))"
            unreadable.append(DiskCacheError(error, path: path))
        }
        return (values, unreadable)
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
        if failures.count < Self.maxFailureCount { failures.append(failure) }
    }

    fileprivate mutating func add(_ error: DiskCacheError) {
        unreadableCount += 1
        if unreadable.count < Self.maxFailureCount { unreadable.append(error) }
    }
}
