public import CalotypeSupport

/// Values in memory by key, within limits of cost and count.
///
/// Every member may be called from any thread and waits for one short lock at most. Nothing of the caller's
/// runs under it: values that leave are released, and the removal handler is called, after it.
///
/// A lookup uses the key's `hashValue`, so a key that carries its hash is not hashed again. The path of a hit
/// is inlinable, since it would take twice the time where it is not specialised for its key.
public final class MemoryCache<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    /// Hears of each value that has left, after it has; called on the thread whose call made it leave.
    public typealias RemovalHandler = @Sendable (_ key: Key, _ value: Value, _ cause: RemovalCause) -> Void

    @usableFromInline typealias State = MemoryCacheState<Key, Value>

    /// The greatest cost that counts: a greater limit is as good as this, and a value that costs more is
    /// refused.
    package static var costMax: Int { CacheLimits.costMax }

    @usableFromInline let state: Guarded<State>
    @usableFromInline let onRemoval: RemovalHandler?
    /// What tells when memory runs short.
    package let pressureSource: (any MemoryPressureSource)?
    private let pressureSubscription = Guarded<MemoryPressureSubscription?>(nil)
    @usableFromInline let clock: MemoryClock
    /// Who wakes the cache when something has ended.
    let alarm = Guarded<(number: Int, end: ContinuousClock.Instant)?>(nil)

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - costLimit: The greatest sum of the costs of all entries; by default the lesser of 15 % of the
    ///     memory that the process may use and 768 MiB. 0 stores nothing; what is over 2⁶⁰ counts as 2⁶⁰.
    ///   - countLimit: The greatest number of entries; `nil`, the default, for any number.
    ///   - expiry: When a value stops being found; ``Expiry/never`` by default.
    ///   - policy: What leaves when the cache is full; ``EvictionPolicyKind/duo`` by default.
    ///   - keepsEvictedWeakly: Whether a value that was evicted is found again while somebody holds it; on by
    ///     default.
    ///   - pressureSource: What tells when memory runs short, see ``relieve(_:)``; the system by default,
    ///     `nil` for nothing.
    ///   - onRemoval: Hears of each value that has left; nobody by default.
    /// - Precondition: Limits are not negative.
    public convenience init(
        costLimit: Int = MemoryCapacity.defaultCostLimit,
        countLimit: Int? = nil,
        expiry: Expiry = .never,
        policy: EvictionPolicyKind = .default,
        keepsEvictedWeakly: Bool = true,
        pressureSource: (any MemoryPressureSource)? = SystemMemoryPressureSource.shared,
        onRemoval: RemovalHandler? = nil
    ) {
        self.init(
            costLimit: costLimit,
            countLimit: countLimit,
            expiry: expiry,
            policy: policy,
            keepsEvictedWeakly: keepsEvictedWeakly,
            pressureSource: pressureSource,
            clock: .system,
            onRemoval: onRemoval
        )
    }

    /// Creates an empty cache with a clock of its own.
    package init(
        costLimit: Int = MemoryCapacity.defaultCostLimit,
        countLimit: Int? = nil,
        expiry: Expiry = .never,
        policy: EvictionPolicyKind = .default,
        keepsEvictedWeakly: Bool = true,
        pressureSource: (any MemoryPressureSource)? = nil,
        clock: MemoryClock,
        onRemoval: RemovalHandler? = nil
    ) {
        precondition(costLimit >= 0 && (countLimit ?? 0) >= 0, "limits are not negative")
        let limits = CacheLimits(cost: costLimit, count: countLimit ?? .max)
        state = Guarded(
            State(
                limits: limits,
                expiry: expiry,
                policy: policy,
                keepsEvictedWeakly: keepsEvictedWeakly,
                isObserved: onRemoval != nil
            )
        )
        self.clock = clock
        self.onRemoval = onRemoval
        self.pressureSource = pressureSource
        let subscription = pressureSource?.subscribe { [weak self] in self?.relieve($0) }
        pressureSubscription.withLock { $0 = subscription }
    }

    deinit {
        if let alarm = alarm.withLock(\.self) { clock.cancel(alarm.number) }
        state.withLock { $0.deallocate() }
    }

    /// The greatest sum of the costs of all entries; a lower value evicts at once.
    ///
    /// - Precondition: The limit is not negative.
    public var costLimit: Int {
        get { state.withLock { $0.limits.cost } }
        set {
            precondition(newValue >= 0, "limits are not negative")
            change { state in
                state.setLimits(CacheLimits(cost: newValue, count: state.limits.count))
            }
        }
    }

    /// The greatest number of entries, `nil` for any number; a lower value evicts at once.
    ///
    /// - Precondition: The limit is not negative.
    public var countLimit: Int? {
        get {
            let count = state.withLock { $0.limits.count }
            return count == .max ? nil : count
        }
        set {
            precondition((newValue ?? 0) >= 0, "limits are not negative")
            change { state in
                state.setLimits(CacheLimits(cost: state.limits.cost, count: newValue ?? .max))
            }
        }
    }

    /// The greatest cost of one entry, `nil`, unless set, for the cost limit; what costs more is refused.
    ///
    /// What is held already stays.
    ///
    /// - Precondition: The limit is not negative.
    public var entryCostLimit: Int? {
        get {
            let limit = state.withLock { $0.entryCostLimit }
            return limit == .max ? nil : limit
        }
        set {
            precondition((newValue ?? 0) >= 0, "limits are not negative")
            state.withLock { $0.entryCostLimit = newValue ?? .max }
        }
    }

    /// What the cache has done and what it holds, in one consistent reading.
    public var statistics: MemoryCacheStatistics {
        state.withLock { $0.statistics }
    }

    /// The value for a key, or `nil`; counts as a use of the entry.
    @inlinable
    public subscript(key: Key) -> Value? {
        value(forKey: key)
    }

    /// The value for a key, or `nil`; counts as a use of the entry.
    ///
    /// A value that has left the cache and is still held by somebody is found too, and put back with its
    /// cost.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        if let value = state.withLock({ $0.hit(key) }) { return value }
        return valueAfterMiss(forKey: key)
    }

    // Not inlined, so that the path of a hit stays short.
    @inlinable @inline(never)
    func valueAfterMiss(forKey key: Key) -> Value? {
        change { $0.missed(key, at: clock.now) }
    }

    /// Whether a lookup would find something; does not count as a use.
    public func contains(_ key: Key) -> Bool {
        // The value comes out of the lock, since a watched one might be released here for the last time.
        peek(key) != nil
    }

    /// Stores a value in place of what the key had.
    ///
    /// - Parameters:
    ///   - value: What to store.
    ///   - key: What it is found by.
    ///   - cost: What it takes of the cost limit; for images, bytes. 0 counts as 1.
    ///   - expiry: When it stops being found; as ``expiry`` of the cache unless given.
    /// - Returns: Whether it was stored, and how many other entries left for it.
    /// - Precondition: The cost is not negative.
    @discardableResult
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int, expiry: Expiry? = nil) -> Insertion {
        precondition(cost >= 0, "a cost is not negative")
        let (cost, now) = (max(1, cost), clock.now)
        return change { $0.insert(value, forKey: key, cost: cost, expiry: expiry, at: now) }
    }

    /// Removes a value, also one that is only watched since it was evicted, and returns it.
    @discardableResult
    @inlinable
    public func removeValue(forKey key: Key) -> Value? {
        change { $0.remove(key) }
    }

    /// The value for a key as a lookup would find it, without any trace of the look.
    public func peek(_ key: Key) -> Value? {
        state.withLock { $0.peek(key, at: clock.now) }
    }

    /// Stores a value unless its key has by now another one than `known`.
    ///
    /// - Parameters:
    ///   - value: What to store.
    ///   - key: What it is found by.
    ///   - cost: What it takes of the cost limit.
    ///   - known: The value whose place it may take; `nil` where there must be none.
    public func insert(_ value: Value, forKey key: Key, cost: Int, inPlaceOf known: Value?) {
        // The present value comes out of the lock, since a watched one might be released here for the last
        // time.
        _ = change { state -> Value? in
            let present = state.peek(key, at: clock.now)
            if present == nil || present === known {
                _ = state.insert(value, forKey: key, cost: max(1, cost), expiry: nil, at: clock.now)
            }
            return present
        }
    }

    /// Removes a value if it is still the one of its key, and not another that has taken its place.
    public func removeValue(_ value: Value, forKey key: Key) {
        // What is found comes out of the lock: a watched value might be released here for the last time.
        _ = change { state in
            let found = state.peek(key)
            if found === value { _ = state.remove(key) }
            return found
        }
    }

    /// Gives a value another cost if it is still the one held for its key; it then counts as stored again.
    public func updateCost(of value: Value, forKey key: Key, to cost: Int) {
        change { $0.updateCost(of: value, forKey: key, to: max(1, cost)) }
    }

    /// Removes every value, also those that are only watched since they were evicted.
    public func removeAll() {
        report(change { $0.removeAll() })
    }

    /// The keys of all values, also of those that are only watched since they were evicted.
    package var keys: [Key] { state.withLock { $0.keys } }

    /// Removes the values whose keys a closure picks, also those that are only watched since they were
    /// evicted.
    ///
    /// Every key is looked at, outside of the lock; what is stored meanwhile may stay.
    public func removeAll(where isRemoved: (Key) -> Bool) {
        let keys = state.withLock { $0.keys }
        for key in keys where isRemoved(key) { removeValue(forKey: key) }
    }

    func report(_ remains: MemoryCacheRemains<Key, Value>) {
        if let onRemoval { remains.report(to: onRemoval) }
    }

    /// Changes the state under the lock, then lets go of what has left, in that order.
    @inlinable
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, departures, end) = state.withLock { state in
            let result = body(&state)
            return (result, state.takeDepartures(), state.ages.isUsed ? state.ages.takeWake() : nil)
        }
        if let end { wake(at: end) }
        if let onRemoval {
            for removal in departures.removals {
                onRemoval(removal.key, removal.value, removal.cause)
            }
        }
        return result
    }
}

extension MemoryCache {
    /// Stops the process where the structure contradicts itself; for tests.
    package func checkInvariants() {
        state.withLock { $0.checkInvariants() }
    }
}
