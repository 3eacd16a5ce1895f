import CalotypeCore
import CalotypeSupport

extension DiskCache {
    /// Returns the number and bytes of the entries in one consistent snapshot; waits until they have been
    /// counted once and excess entries have been evicted.
    ///
    /// If a folder cannot be listed, its entries are excluded and ``StoreUsage/isPartial`` is set.
    ///
    /// - Throws: ``DiskCacheError/Code/closed``.
    public func usage() async throws(DiskCacheError) -> StoreUsage {
        try await waitUntilSettled()
        return state.withLock { state in
            var usage = state.usage
            usage.isPartial = state.walk.problem != nil
            return usage
        }
    }

    /// The known entries, without waiting: an underestimate until all have been counted.
    package var usageSoFar: StoreUsage { state.withLock(\.usage) }

    /// Evicts the least recently used entries until at most this many bytes remain.
    ///
    /// Entries written meanwhile stay and may exceed it.
    ///
    /// - Parameter byteCount: The most bytes to remain, payloads and records together.
    /// - Returns: The removed entries and bytes.
    /// - Throws: ``DiskCacheError/Code/closed``.
    @discardableResult
    public func trim(toSize byteCount: Int) async throws(DiskCacheError) -> StoreUsage {
        try await waitUntilSettled()
        var removed = StoreUsage()
        while true {
            let (part, isHeldBack) = await pool.run {
                let (evicted, isHeldBack) = self.planEviction(toByteCount: byteCount)
                return (self.removeEvicted(evicted), isHeldBack)
            }
            removed = removed + part.removed
            if isHeldBack {
                // While a barrier runs nothing can be evicted; after it, everything can.
                try await perform(.fence) { _ in }
            } else if part.goneCount == 0 || state.withLock({ $0.usage.byteCount <= byteCount }) {
                return removed
            }
        }
    }

    /// Changes the limits and the expiry, here and in the directory for later openings.
    ///
    /// Lower limits evict before this returns.
    ///
    /// - Parameter settings: The new rules.
    /// - Throws: ``DiskCacheError`` if they cannot be written or are invalid; the old ones then stay.
    public func update(_ settings: DiskSettings) async throws(DiskCacheError) {
        if let problem = settings.problem {
            throw DiskCacheError(.invalidConfiguration, path: layout.settings, detail: problem)
        }
        try await perform(.barrier) { cache throws(DiskCacheError) in try cache.put(settings) }
        try await waitUntilSettled()
    }

    /// Writes pending changes, for example before the program is suspended; the cache stays open.
    ///
    /// Afterwards, all writes issued before are on disk, access times are in the files, and the limits hold
    /// for the entries counted so far. Known expired entries are removed, unless
    /// ``Configuration/removesExpiredOnClose`` is off.
    ///
    /// - Throws: ``DiskCacheError`` if the cache is closed.
    public func flush() async throws(DiskCacheError) {
        // Runs after everything issued before, and waits no longer than that takes.
        try await perform(.fence) { _ in }
        await pool.run { self.tidy() }
    }

    /// Writes pending changes, enforces the limits if anything was written, and closes the cache; later calls
    /// throw.
    ///
    /// Also removes known expired entries, unless ``Configuration/removesExpiredOnClose`` is off. Calls that
    /// wait for the entries to be counted throw ``DiskCacheError/Code/closed``.
    ///
    /// - Throws: ``DiskCacheError`` if the cache is closed already.
    public func close() async throws(DiskCacheError) {
        if state.withLock({ $0.hasWritten }) { try await waitUntilSettled() }
        try await drain()
        // Waits for the current chore; the thread starts no new one.
        await maintenancePool.run {}
        await pool.run {
            self.tidy()
            self.emptyAsides()
            do {
                try self.leave()
            } catch {
                self.front.withLock { $0.statistics.maintenanceFailureCount += 1 }
            }
        }
    }

    /// Refuses new operations, and returns once everything issued before has ended.
    private func drain() async throws(DiskCacheError) {
        let error: DiskCacheError? = await handedOver { handOver in
            let isIssued = issue(.barrier, closes: true, { _ in }) { _ in { handOver(nil) } }
            guard isIssued else { return handOver(.closed) }
            front.withLock { $0.isClosed = true }
            for waiter in state.withLock({ $0.takeAllWaiters() }) { waiter(.closed) }
        }
        if let error { throw error }
    }

    /// Writes access times back, removes expired entries, and enforces the limits; blocks.
    private func tidy() {
        writeUses()
        if configuration.removesExpiredOnClose { removeKnownExpired() }
        defer { maintain() }
        guard let rules = front.withLock(\.rules) else { return }
        while true {
            let order = nextUse()
            let evicted = state.withLock { $0.planEviction(rules, order: order) }
            guard removeEvicted(evicted).goneCount > 0 else { break }
        }
    }
}

extension DiskCacheState {
    mutating func takeAllWaiters() -> [@Sendable (DiskCacheError?) -> Void] {
        defer { waiters = [] }
        return waiters
    }
}
