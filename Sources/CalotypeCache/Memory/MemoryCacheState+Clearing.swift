/// How much of what is held, or all of it, goes at once.
extension MemoryCacheState {
    /// Lets go of every value and forgets every key, also of values that are only watched.
    mutating func removeAll() -> MemoryCacheRemains<Key, Value> {
        clear(cause: .removed, watched: weakLevel?.removeAll() ?? [])
    }

    /// Evicts until no more is held than `target` or so many entries have left; returns whether the target
    /// is reached.
    @inlinable
    mutating func trim(to target: CacheLimits, countMax: Int, cause: RemovalCause) -> Bool {
        judgeHits()
        while log.evicted.count < countMax, !target.admit(policy.load), policy.evict(&log) {}
        let isDone = log.evicted.count < countMax
        policy.settle(&log)
        applyLog(cause: cause)
        return isDone
    }

    /// Lets go of every value and forgets every key, but keeps watching the values.
    mutating func purge(cause: RemovalCause) -> MemoryCacheRemains<Key, Value> {
        if weakLevel != nil, statistics.count > 0 {
            for slot in Array(entries.usedSlots) { depart(slot, cause: cause) }
        }
        return clear(cause: cause, watched: [])
    }

    /// Hands over everything in one piece, so that nobody waits for it to be taken apart.
    private mutating func clear(cause: RemovalCause, watched: [WeakLevel<Key, Value>.Table])
        -> MemoryCacheRemains<Key, Value>
    {
        defer {
            statistics.countRemovalOfAll(cause: cause)
            entries = EntrySlab()
            table = SlotTable()
            hitNotes = HitNotes()
            ages = MemoryAges()
            policy = kind.makePolicy(limits: limits.bounded)
        }
        return MemoryCacheRemains(self, watched: watched, cause: cause)
    }
}
