extension MemoryCacheState {
    /// Removes every value and key, including weakly tracked values.
    mutating func removeAll() -> MemoryCacheContents<Key, Value> {
        clear(cause: .removed, watched: weakLevel?.removeAll() ?? [])
    }

    /// Evicts until the load is within `target` or `maxCount` entries have been evicted; returns whether the
    /// target is reached.
    @inlinable
    mutating func trim(to target: CacheLimits, maxCount: Int, cause: RemovalCause) -> Bool {
        judgeHits()
        while log.evicted.count < maxCount, !target.admit(policy.load), policy.evict(&log) {}
        let isDone = log.evicted.count < maxCount
        policy.settle(&log)
        applyLog(cause: cause)
        return isDone
    }

    /// Removes every value and key, but continues to track the values weakly.
    mutating func purge(cause: RemovalCause) -> MemoryCacheContents<Key, Value> {
        if weakLevel != nil, statistics.count > 0 {
            for slot in Array(entries.usedSlots) { depart(slot, cause: cause) }
        }
        return clear(cause: cause, watched: [])
    }

    /// Hands over the contents as a whole, so that no thread waits while they are released.
    private mutating func clear(cause: RemovalCause, watched: [WeakLevel<Key, Value>.Table])
        -> MemoryCacheContents<Key, Value>
    {
        defer {
            statistics.countRemovalOfAll(cause: cause)
            entries = EntrySlab()
            table = SlotTable()
            hitNotes = HitBuffer()
            ages = MemoryExpiry()
            policy = kind.makePolicy(limits: limits.bounded)
        }
        return MemoryCacheContents(self, watched: watched, cause: cause)
    }
}
