/// A memory cache without its lock: entries in slots, the table to find them, and the eviction policy.
///
/// A slot belongs to a key while the policy knows it, which may be longer than the value stays. Removed keys
/// and values collect in `departures` until ``takeDepartures()``; none is released in here.
@usableFromInline
struct MemoryCacheState<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    @usableFromInline typealias Departures = MemoryCacheRemovals<Key, Value>

    @usableFromInline var statistics = MemoryCacheStatistics()

    /// The limits as requested.
    @usableFromInline var limits: CacheLimits

    @usableFromInline var entryCostLimit = Int.max

    /// Whether there is a removal handler.
    @usableFromInline let isObserved: Bool
    @usableFromInline let measuresKeys: Bool
    @usableFromInline let kind: EvictionPolicyKind
    @usableFromInline var policy: any EvictionPolicy
    @usableFromInline var hitNotes = HitBuffer()
    @usableFromInline var log = EvictionLog()
    @usableFromInline var table = SlotTable()
    @usableFromInline var entries = EntrySlab<Key, Value>()
    @usableFromInline var weakLevel: WeakLevel<Key, Value>?
    @usableFromInline var departures = Departures()
    @usableFromInline var ages = MemoryExpiry()
    /// The expiry of values without their own.
    @usableFromInline var expiry: Expiry

    @inlinable
    init(
        limits: CacheLimits,
        expiry: Expiry,
        policy kind: EvictionPolicyKind,
        keepsEvictedWeakly: Bool,
        isObserved: Bool
    ) {
        self.isObserved = isObserved
        measuresKeys = Key.self is any MeasuredKey.Type
        self.expiry = expiry
        self.kind = kind
        self.limits = limits
        policy = kind.makePolicy(limits: limits.bounded)
        weakLevel = keepsEvictedWeakly ? WeakLevel() : nil
    }

    /// Changes the limits; a lower limit evicts at once.
    @inlinable
    mutating func setLimits(_ limits: CacheLimits) {
        judgeHits()
        self.limits = limits
        policy.limits = limits.bounded
        policy.shrink(&log)
        applyLog(incomingCost: nil)
    }

    /// Returns what has been removed since the last call, for release outside the lock.
    @inlinable
    mutating func takeDepartures() -> Departures {
        defer { departures = Departures() }
        return departures
    }

    // MARK: Lookup

    /// Returns the value for a key if it is held and no entry has an age; a hit is counted, a miss is not.
    @inlinable @inline(__always)
    mutating func hit(_ key: Key) -> Value? {
        ages.isUsed ? nil : find(key)
    }

    @inlinable @inline(__always)
    mutating func find(_ key: Key) -> Value? {
        guard let slot = slot(of: key, tag: Self.tag(of: key)), let value = entries.value(at: slot) else {
            return nil
        }
        statistics.countHit()
        if hitNotes.append(slot) { judgeHits() }
        return value
    }

    /// Handles a lookup after ``hit(_:)`` returned `nil`: looks again, then among the weakly tracked values.
    @inlinable
    mutating func missed(_ key: Key, at now: () -> ContinuousClock.Instant) -> Value? {
        let time = ages.isUsed ? now() : nil
        if let time { expire(key, at: time) }
        if let value = find(key) {
            if let time, let slot = slot(of: key, tag: Self.tag(of: key)) { ages.renew(slot, at: time) }
            return value
        }
        guard let (value, cost) = weakLevel?.value(forKey: key) else {
            statistics.countMiss()
            return nil
        }
        statistics.countWeakRevival()
        if place(value, forKey: key, cost: cost, age: weakLevel?.age(forKey: key)) != nil {
            weakLevel?.remove(key, departures: &departures)
        }
        return value
    }

    /// Returns the value for a key, held or weakly tracked, without counting as a use.
    @inlinable
    func peek(_ key: Key) -> Value? {
        if let slot = slot(of: key, tag: Self.tag(of: key)), let value = entries.value(at: slot) {
            return value
        }
        return weakLevel?.value(forKey: key)?.value
    }

    // MARK: Change

    @inlinable
    mutating func insert(_ value: Value, forKey key: Key, cost: Int, age: MemoryExpiry.Age? = nil)
        -> Insertion
    {
        weakLevel?.remove(key, departures: &departures)
        guard let evictedCount = place(value, forKey: key, cost: cost, age: age) else {
            statistics.countRefusal()
            weakLevel?.insert(value, forKey: key, cost: cost, age: age, departures: &departures)
            return .refused
        }
        statistics.countInsertion()
        return .stored(evictedCount: evictedCount)
    }

    @inlinable
    mutating func remove(_ key: Key) -> Value? {
        let watched = weakLevel?.value(forKey: key)?.value
        weakLevel?.remove(key, departures: &departures)
        judgeHits()
        guard let slot = slot(of: key, tag: Self.tag(of: key)) else { return watched }
        let value = entries.value(at: slot)
        depart(slot, cause: .removed)
        forget(slot)
        return value ?? watched
    }

    /// The keys of all values, held or weakly tracked.
    @inlinable
    var keys: [Key] {
        entries.usedSlots.map(entries.key) + (weakLevel?.keys ?? [])
    }

    // MARK: Slots

    @inlinable @inline(__always)
    static func tag(of key: Key) -> UInt32 {
        SlotTable.tag(ofHash: key.hashValue)
    }

    @inlinable @inline(__always)
    func slot(of key: Key, tag: UInt32) -> Slot? {
        table.slot(tag: tag) { entries.hasKey(key, at: $0) }
    }

    /// Stores a value under its key and returns how many others were evicted for it; `nil` if it was refused.
    @inlinable
    mutating func place(_ value: Value, forKey key: Key, cost: Int, age: MemoryExpiry.Age?) -> Int? {
        judgeHits()
        let tag = Self.tag(of: key)
        let known = slot(of: key, tag: tag)
        if let known { depart(known, cause: .replaced) }
        guard cost <= entryCostLimit, limits.bounded.admit(CacheLoad(cost: cost, count: 1)) else {
            if let known { forget(known) }
            return nil
        }
        let slot = known ?? makeSlot(for: key, tag: tag)
        let isHeld = policy.insert(slot, cost: cost, &log)
        let evictedCount = log.evicted.count
        applyLog(incomingCost: isHeld ? cost : nil)
        guard isHeld else {
            if entries.isUsed(slot), isMostlyKey(slot, cost: cost) { forget(slot) }
            return nil
        }
        entries.setValue(value, cost: cost, at: slot)
        if age != nil { ages.set(age, at: slot) }
        statistics.countEntry(cost: cost)
        return evictedCount
    }

    @inlinable
    mutating func makeSlot(for key: Key, tag: UInt32) -> Slot {
        let slot = entries.insert(key, tag: tag)
        table.insert(slot, tag: tag)
        return slot
    }

    @inlinable
    mutating func free(_ slot: Slot) {
        table.remove(slot, tag: entries.tag(at: slot))
        departures.keys.append(entries.remove(at: slot))
    }

    /// Makes the policy forget a slot without a value, which frees it.
    @inlinable
    mutating func forget(_ slot: Slot) {
        policy.remove(slot)
        log.letGo.append(slot)
        policy.settle(&log)
        applyLog(incomingCost: nil)
    }

    /// Returns whether a long key takes more than an eighth of the cost of its entry.
    ///
    /// Without a value it is then not remembered: a policy bounds what it only knows by its cost, although
    /// the keys remain in memory.
    @inlinable
    func isMostlyKey(_ slot: Slot, cost: Int) -> Bool {
        guard measuresKeys, let key = entries.key(at: slot) as? any MeasuredKey else { return false }
        // Shorter keys are left out: costs need not be bytes.
        return key.byteCount > max(256, cost / 8)
    }

    /// Removes the value of an evicted slot, and makes the policy forget the slot if that is mostly its key.
    @inlinable
    mutating func evict(_ slot: Slot, cause: RemovalCause) {
        depart(slot, cause: cause)
        guard isMostlyKey(slot, cost: entries.cost(at: slot)) else { return }
        policy.remove(slot)
        log.letGo.append(slot)
    }

    /// Removes the value of a slot, if it has one.
    @inlinable
    mutating func depart(_ slot: Slot, cause: RemovalCause) {
        // The removal handler may retain the value.
        let mayBeHeld = isObserved || !entries.isOnlyHolder(at: slot)
        guard let value = entries.takeValue(at: slot) else { return }
        let cost = entries.cost(at: slot)
        let age = ages.isUsed ? ages.take(at: slot) : nil
        statistics.countRemoval(cost: cost, cause: cause)
        if mayBeHeld, cause.leavesWatched {
            let key = entries.key(at: slot)
            weakLevel?.insert(value, forKey: key, cost: cost, age: age, departures: &departures)
        }
        if isObserved {
            departures.removals.append(
                Departures.Removal(key: entries.key(at: slot), value: value, cause: cause)
            )
        } else {
            departures.values.append(value)
        }
    }

    /// Passes the recorded hits to the policy; must be called before any other use of it.
    @inlinable @inline(never)
    mutating func judgeHits() {
        guard hitNotes.count > 0 else { return }
        let isTimeToSettle = policy.hit(hitNotes)
        hitNotes.count = 0
        if isTimeToSettle {
            policy.settle(&log)
            applyLog(incomingCost: nil)
        }
    }

    /// Carries out the policy's evictions to enforce the limits, with an entry of `incomingCost` about to be
    /// stored.
    @inlinable
    mutating func applyLog(incomingCost: Int?) {
        let incoming = CacheLoad(cost: incomingCost ?? 0, count: incomingCost == nil ? 0 : 1)
        for slot in log.evicted {
            let load = CacheLoad(cost: statistics.cost, count: statistics.count) + incoming
            let isOverCountOnly = load.count > limits.count && load.cost <= limits.cost
            evict(slot, cause: isOverCountOnly ? .countLimit : .costLimit)
        }
        log.evicted.removeAll(keepingCapacity: true)
        applyLog(cause: .costLimit)
    }

    @inlinable
    mutating func applyLog(cause: RemovalCause) {
        for slot in log.evicted { evict(slot, cause: cause) }
        // Tested now, not taken from the log: a slot that was let go may be known again meanwhile.
        for slot in log.letGo where entries.isUsed(slot) && !policy.knows(slot) { free(slot) }
        log.removeAll()
    }

    /// Releases the remaining memory; called once, at the end.
    @inlinable
    func deallocate() {
        entries.deallocate()
    }
}
