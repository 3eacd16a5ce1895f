extension MemoryCacheState {
    /// Stores a value with its own expiry, or the cache's.
    @inlinable
    mutating func insert(
        _ value: Value,
        forKey key: Key,
        cost: Int,
        expiry own: Expiry?,
        at now: () -> ContinuousClock.Instant
    ) -> Insertion {
        insert(value, forKey: key, cost: cost, age: (own ?? expiry).age(at: now))
    }

    /// Changes a value's cost if the cache holds it for its key; its age is unchanged.
    mutating func updateCost(of value: Value, forKey key: Key, to cost: Int) {
        guard let slot = slot(of: key, tag: Self.tag(of: key)), entries.value(at: slot) === value else {
            return
        }
        _ = insert(value, forKey: key, cost: cost, age: ages.age(at: slot))
    }

    /// Returns the value that a lookup would find, without counting as a use.
    func peek(_ key: Key, at now: () -> ContinuousClock.Instant) -> Value? {
        guard ages.isUsed else { return peek(key) }
        // An expired value is not retained even briefly: this could be the last reference.
        if let slot = slot(of: key, tag: Self.tag(of: key)), entries.value(at: slot) != nil {
            return ages.isOver(slot, at: now()) ? nil : entries.value(at: slot)
        }
        guard weakLevel?.age(forKey: key)?.isOver(at: now()) != true else { return nil }
        return weakLevel?.value(forKey: key)?.value
    }

    /// Removes the value of a key if it has expired.
    @usableFromInline
    mutating func expire(_ key: Key, at now: ContinuousClock.Instant) {
        guard let slot = slot(of: key, tag: Self.tag(of: key)), entries.hasValue(at: slot) else {
            if weakLevel?.age(forKey: key)?.isOver(at: now) == true {
                weakLevel?.remove(key, departures: &departures)
            }
            return
        }
        if ages.isOver(slot, at: now) { expire(slot) }
    }

    /// Removes the expired values in a range of slots.
    ///
    /// - Parameters:
    ///   - start: The first slot.
    ///   - maxCount: The most slots to process.
    ///   - now: The current time.
    /// - Returns: The slot to continue with; `nil` at the end.
    mutating func removeExpired(from start: Slot, maxCount: Int, at now: ContinuousClock.Instant) -> Slot? {
        judgeHits()
        let end = min(start + maxCount, ages.slotCount)
        guard start < end else { return nil }
        for slot in start..<end {
            guard let age = ages.age(at: slot) else { continue }
            if age.isOver(at: now) { expire(slot) } else { ages.askForWake(at: age.endsAt) }
        }
        return end < ages.slotCount ? end : nil
    }

    private mutating func expire(_ slot: Slot) {
        judgeHits()
        // Applying the hits may have evicted it.
        guard entries.isUsed(slot), entries.hasValue(at: slot) else { return }
        depart(slot, cause: .expired)
        forget(slot)
    }
}
