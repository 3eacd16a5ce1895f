/// How entries end by their age.
extension MemoryCacheState {
    /// Stores a value that ends as it says, or as the cache does.
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

    /// Gives a value another cost if it is still the one held for its key; its age stays.
    mutating func updateCost(of value: Value, forKey key: Key, to cost: Int) {
        guard let slot = slot(of: key, tag: Self.tag(of: key)), entries.value(at: slot) === value else {
            return
        }
        _ = insert(value, forKey: key, cost: cost, age: ages.age(at: slot))
    }

    /// The value for a key as a lookup would find it, without any trace of the look.
    func peek(_ key: Key, at now: () -> ContinuousClock.Instant) -> Value? {
        guard ages.isUsed else { return peek(key) }
        // What is over is not even held for a moment: it might be released here for the last time.
        if let slot = slot(of: key, tag: Self.tag(of: key)), entries.value(at: slot) != nil {
            return ages.isOver(slot, at: now()) ? nil : entries.value(at: slot)
        }
        guard weakLevel?.age(forKey: key)?.isOver(at: now()) != true else { return nil }
        return weakLevel?.value(forKey: key)?.value
    }

    /// Lets go of the value of a key where its time is over.
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

    /// Lets go of what is over in some of the slots.
    ///
    /// - Parameters:
    ///   - start: The first of them.
    ///   - countMax: How many they are at most.
    ///   - now: What time it is.
    /// - Returns: The slot to go on with; `nil` where there is none.
    mutating func removeExpired(from start: Slot, countMax: Int, at now: ContinuousClock.Instant) -> Slot? {
        judgeHits()
        let end = min(start + countMax, ages.slotCount)
        guard start < end else { return nil }
        for slot in start..<end {
            guard let age = ages.age(at: slot) else { continue }
            if age.isOver(at: now) { expire(slot) } else { ages.askForWake(at: age.endsAt) }
        }
        return end < ages.slotCount ? end : nil
    }

    private mutating func expire(_ slot: Slot) {
        judgeHits()
        // Judging may have let go of it.
        guard entries.isUsed(slot), entries.hasValue(at: slot) else { return }
        depart(slot, cause: .expired)
        forget(slot)
    }
}
