import CalotypeSupport

extension MemoryCache {
    /// The expiry of values without their own; ``Expiry/never`` unless set.
    ///
    /// A change applies to values stored later.
    public var expiry: Expiry {
        get { state.withLock { $0.expiry } }
        set { state.withLock { $0.expiry = newValue } }
    }

    /// Removes expired values.
    ///
    /// They are never returned in any case, and the cache removes them itself within about a second.
    public func removeExpired() {
        let portion = 1024
        let now = clock.now()
        change { $0.ages.didWake() }
        var slot: Slot? = 0
        while let start = slot {
            slot = change { $0.removeExpired(from: start, maxCount: portion, at: now) }
        }
    }

    /// Schedules the removal of values that expire at a time; those that expire within a second are removed
    /// together.
    @usableFromInline
    func wake(at end: ContinuousClock.Instant) {
        let now = clock.now()
        let new = clock.wake(max(.seconds(1), end - now)) { [weak self] in self?.removeExpired() }
        let other = alarm.withLock { alarm -> Int? in
            // An existing alarm for the same time stays.
            if let alarm, alarm.end > now, alarm.end <= end { return new }
            defer { alarm = (new, end) }
            return alarm?.number
        }
        if let other { clock.cancel(other) }
    }
}
