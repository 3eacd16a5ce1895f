import CalotypeSupport

/// How values end by their age.
extension MemoryCache {
    /// When a value that is stored without an expiry of its own stops being found; ``Expiry/never`` unless
    /// set.
    ///
    /// A change holds for what is stored from then on.
    public var expiry: Expiry {
        get { state.withLock { $0.expiry } }
        set { state.withLock { $0.expiry = newValue } }
    }

    /// Removes the values whose time is over; they are found no more in any case, and the cache removes them
    /// by itself within about a second.
    public func removeExpired() {
        let portion = 1024
        let now = clock.now()
        change { $0.ages.didWake() }
        var slot: Slot? = 0
        while let start = slot {
            slot = change { $0.removeExpired(from: start, countMax: portion, at: now) }
        }
    }

    /// Has what ends at a time removed then, or soon after: all that ends within a second goes together.
    @usableFromInline
    func wake(at end: ContinuousClock.Instant) {
        let now = clock.now()
        let new = clock.wake(max(.seconds(1), end - now)) { [weak self] in self?.removeExpired() }
        let other = alarm.withLock { alarm -> Int? in
            // Of two at the same moment the earlier stays.
            if let alarm, alarm.end > now, alarm.end <= end { return new }
            defer { alarm = (new, end) }
            return alarm?.number
        }
        if let other { clock.cancel(other) }
    }
}
