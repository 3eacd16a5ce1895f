import CalotypeCore
import CalotypeSupport

/// Work on all entries at once.
extension DiskCache {
    /// How much is kept, in one consistent reading; waits until the entries have been counted once, and what
    /// is too much has left.
    ///
    /// Where a folder cannot be listed, what is in it is left out and ``StoreUsage/isPartial`` is set.
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

    /// How much is known to be kept, at once: less than there is until the entries have been counted.
    package var usageSoFar: StoreUsage { state.withLock(\.usage) }

    /// Evicts the entries used longest ago until no more than so many bytes are left.
    ///
    /// What is written meanwhile stays, and may be more.
    ///
    /// - Parameter byteCount: What may stay, payloads and records together.
    /// - Returns: What was removed.
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
                // While a barrier runs nothing can leave; behind it all can.
                try await perform(.barrier) { _ in }
            } else if part.goneCount == 0 || state.withLock({ $0.usage.byteCount <= byteCount }) {
                return removed
            }
        }
    }

    /// Puts other limits and another expiry in force, here and in the directory, for whoever opens it next.
    ///
    /// Lower limits evict before this returns.
    ///
    /// - Parameter settings: The rules from now on.
    /// - Throws: ``DiskCacheError`` where they cannot be written, or make no sense; the old ones stay.
    public func update(_ settings: DiskSettings) async throws(DiskCacheError) {
        if let problem = settings.problem {
            throw DiskCacheError(code: .invalidConfiguration, path: layout.settings, detail: problem)
        }
        try await perform(.barrier) { cache throws(DiskCacheError) in try cache.put(settings) }
        try await waitUntilSettled()
    }

    /// Writes what is pending, as before the program is suspended; the cache goes on.
    ///
    /// When it returns, what was issued before is in place, last uses stand in the files, the limits hold as
    /// far as the entries have been counted, and what has expired is gone, unless
    /// ``Configuration/removesExpiredOnClose`` is off.
    ///
    /// - Throws: ``DiskCacheError`` where this is closed.
    public func flush() async throws(DiskCacheError) {
        // Behind everything that was issued before, and no longer than that takes.
        try await perform(.barrier) { _ in }
        await pool.run { self.tidy() }
    }

    /// Writes what is pending, enforces the limits where anything was written, and stops; later calls throw.
    ///
    /// Also removes what has expired, as far as the entries have been counted, unless
    /// ``Configuration/removesExpiredOnClose`` is off. Whoever waits for the entries to be counted is told
    /// that the cache is closed.
    ///
    /// - Throws: ``DiskCacheError`` where this was closed before.
    public func close() async throws(DiskCacheError) {
        if state.withLock({ $0.hasWritten }) { try await waitUntilSettled() }
        try await drain()
        // Behind what the thread is doing; it begins nothing new.
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

    /// Lets nothing new in, and returns once everything issued before has ended.
    private func drain() async throws(DiskCacheError) {
        let error: DiskCacheError? = await handedOver { handOver in
            let isIssued = issue(.barrier, closes: true, { _ in }) { _ in { handOver(nil) } }
            guard isIssued else { return handOver(.closed) }
            front.withLock { $0.isClosed = true }
            for waiter in state.withLock({ $0.takeAllWaiters() }) { waiter(.closed) }
        }
        if let error { throw error }
    }

    /// Writes last uses back, removes what has expired, and enforces the limits; blocks.
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
