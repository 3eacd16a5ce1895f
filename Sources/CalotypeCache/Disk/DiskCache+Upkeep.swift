import CalotypeCore
import CalotypeSupport

/// Work on all entries at once.
extension DiskCache {
    /// How much is kept, in one consistent reading; waits until the entries have been counted once.
    ///
    /// - Throws: ``DiskCacheError`` where the directory cannot be walked through.
    public func usage() async throws(DiskCacheError) -> StoreUsage {
        try throwIfClosed()
        try await waitForScan()
        return state.withLock { $0.index.usage }
    }

    /// Forgets everything; what was issued before is forgotten too, what is issued later stays.
    ///
    /// - Returns: What was removed.
    /// - Throws: ``DiskCacheError`` for the first file that could not be removed; the others are gone.
    @discardableResult
    public func removeAll() async throws(DiskCacheError) -> StoreUsage {
        try await removeAll(progress: { _ in })
    }

    /// Forgets everything, as ``removeAll()``, and tells how far it is.
    ///
    /// - Parameter progress: Told at most 256 times, on a thread of the cache's own; entries that have not
    ///   been counted yet are not in the total.
    /// - Returns: What was removed.
    /// - Throws: ``DiskCacheError`` for the first file that could not be removed; the others are gone.
    @discardableResult
    public func removeAll(
        progress: @escaping @Sendable (DiskProgress) -> Void
    ) async throws(DiskCacheError) -> StoreUsage {
        try await perform(.barrier) { cache throws(DiskCacheError) in
            let totalCount = cache.state.withLock { $0.index.count }
            var removed = StoreUsage()
            var problem: FileError?
            for index in 0..<256 {
                do throws(FileError) {
                    try cache.clearFolder(at: index, &removed, &problem)
                } catch {
                    problem = problem ?? error
                }
                let count = removed.entryCount
                progress(DiskProgress(finishedCount: count, totalCount: max(totalCount, count)))
            }
            if let problem { throw DiskCacheError(problem, path: cache.layout.base) }
            return removed
        }
    }

    private func clearFolder(
        at index: Int,
        _ removed: inout StoreUsage,
        _ problem: inout FileError?
    ) throws(FileError) {
        for entry in try directory.entries(inFolderAt: index) {
            do throws(FileError) {
                if try fileSystem.removeFileIfPresent(layout.path(of: entry.name)) {
                    removed.entryCount += 1
                    removed.byteCount += entry.byteCount
                }
                state.withLock { $0.didRemove(entry.name) }
            } catch {
                problem = problem ?? error
            }
        }
    }

    /// Evicts the entries used longest ago until no more than so many bytes are left.
    ///
    /// - Parameter byteCount: What may stay, payloads and records together.
    /// - Returns: What was removed.
    /// - Throws: ``DiskCacheError`` where the directory cannot be walked through.
    @discardableResult
    public func trim(toSize byteCount: Int) async throws(DiskCacheError) -> StoreUsage {
        try throwIfClosed()
        try await waitForScan()
        return await pool.run {
            self.removeEvicted(self.state.withLock { $0.planEviction(toByteCount: byteCount) })
        }
    }

    /// Writes what is pending, as before the program is suspended; the cache goes on.
    ///
    /// When it returns, what was issued before is in place, last uses stand in the files, the limits hold as
    /// far as the entries have been counted, and what has expired is gone, unless
    /// ``Configuration/removesExpiredOnClose`` is off.
    ///
    /// - Throws: ``DiskCacheError`` where this is closed.
    public func flush() async throws(DiskCacheError) {
        // Behind everything that was issued before; the end of a barrier enforces the limits.
        try await perform(.barrier) { $0.writeUses() }
        await pool.run { if self.configuration.removesExpiredOnClose { self.removeKnownExpired() } }
    }

    /// Writes what is pending, enforces the limits where anything was written, and stops; later calls throw.
    ///
    /// Also removes what has expired, unless ``Configuration/removesExpiredOnClose`` is off.
    ///
    /// - Throws: ``DiskCacheError`` where this was closed before.
    public func close() async throws(DiskCacheError) {
        try throwIfClosed()
        if state.withLock({ $0.hasWritten }) {
            do {
                try await waitForScan()
            } catch {
                // Counted by the scan itself; what is known is enforced all the same.
            }
        }
        await drain()
        await pool.run {
            self.writeUses()
            if self.configuration.removesExpiredOnClose { self.removeKnownExpired() }
            self.removeEvicted(self.state.withLock { $0.planEviction() })
            do {
                try self.folder.close()
            } catch {
                self.state.withLock { $0.statistics.maintenanceFailureCount += 1 }
            }
        }
    }

    /// Lets nothing new in, and returns once everything issued before has ended.
    private func drain() async {
        await withCheckedContinuation { continuation in
            let isIssued = issue(.barrier, { $0.isClosed = true }) { _ in { continuation.resume() } }
            if !isIssued { continuation.resume() }
        }
    }

    func throwIfClosed() throws(DiskCacheError) {
        if state.withLock({ $0.isClosed }) { throw .closed }
    }
}
