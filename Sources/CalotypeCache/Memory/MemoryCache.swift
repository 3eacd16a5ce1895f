public import CalotypeSupport

/// A cache of values in memory by key, with limits of cost and count.
///
/// Every member may be called from any thread and waits for at most one short lock. No code of the caller
/// runs under the lock: evicted values are released, and the removal handler is called, after it.
///
/// A lookup uses the key's `hashValue`, so a key with a precomputed hash is not hashed again. The hit path is
/// inlinable, since it would take twice the time if not specialised for its key.
public final class MemoryCache<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    /// A handler called after each removal of a value, on the thread that caused the removal.
    public typealias RemovalHandler = @Sendable (_ key: Key, _ value: Value, _ cause: RemovalCause) -> Void

    @usableFromInline typealias State = MemoryCacheState<Key, Value>

    /// The greatest cost: a greater limit has the same effect, and a value that costs more is refused.
    package static var maxCost: Int { CacheLimits.maxCost }

    @usableFromInline let state: Guarded<State>
    @usableFromInline let onRemoval: RemovalHandler?
    package let pressureSource: (any MemoryPressureSource)?
    private let pressureSubscription = Guarded<MemoryPressureSubscription?>(nil)
    @usableFromInline let clock: MemoryClock
    /// The alarm for the next expiry.
    let alarm = Guarded<(number: Int, end: ContinuousClock.Instant)?>(nil)

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - costLimit: The greatest total cost of all entries; by default the lesser of 15 % of the memory
    ///     that the process may use and 768 MiB. 0 stores no entries; more than 2⁶⁰ counts as 2⁶⁰.
    ///   - countLimit: The greatest number of entries; `nil`, the default, for no limit.
    ///   - expiry: The expiry of values; ``Expiry/never`` by default.
    ///   - policy: The eviction policy; ``EvictionPolicyKind/duo`` by default.
    ///   - keepsEvictedWeakly: Whether an evicted value can be found again while it is referenced elsewhere;
    ///     true by default.
    ///   - pressureSource: The source of memory pressure events, see ``relieve(_:)``; the system by default,
    ///     `nil` for none.
    ///   - onRemoval: Called after each removal of a value; `nil` by default.
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

    /// Creates an empty cache with a custom clock.
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

    /// The greatest total cost of all entries; a lower value evicts at once.
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

    /// The greatest number of entries, `nil` for no limit; a lower value evicts at once.
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

    /// The greatest cost of one entry; `nil`, the default, for the cost limit.
    ///
    /// Greater costs are refused.
    ///
    /// Entries already in the cache stay.
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

    /// The counters and contents of the cache, in one consistent snapshot.
    public var statistics: MemoryCacheStatistics {
        state.withLock { $0.statistics }
    }

    /// Returns the value for a key, or `nil`; counts as a use of the entry.
    @inlinable
    public subscript(key: Key) -> Value? {
        value(forKey: key)
    }

    /// Returns the value for a key, or `nil`; counts as a use of the entry.
    ///
    /// A value that was evicted and is still referenced elsewhere is found too, and inserted again with its
    /// cost.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        if let value = state.withLock({ $0.hit(key) }) { return value }
        return valueAfterMiss(forKey: key)
    }

    // Not inlined, so that the hit path stays short.
    @inlinable @inline(never)
    func valueAfterMiss(forKey key: Key) -> Value? {
        change { $0.missed(key, at: clock.now) }
    }

    /// Returns whether a lookup would find a value; does not count as a use.
    public func contains(_ key: Key) -> Bool {
        // The value leaves the lock before it is released: for a weakly tracked one, this may be the last
        // reference.
        peek(key) != nil
    }

    /// Stores a value, replacing the key's earlier one.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - key: The key to find it by.
    ///   - cost: The value's share of the cost limit; for images, bytes. 0 counts as 1.
    ///   - expiry: The value's own expiry; the cache's ``expiry`` unless given.
    /// - Returns: Whether it was stored, and how many other entries were evicted for it.
    /// - Precondition: The cost is not negative.
    @discardableResult
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int, expiry: Expiry? = nil) -> Insertion {
        precondition(cost >= 0, "a cost is not negative")
        let (cost, now) = (max(1, cost), clock.now)
        return change { $0.insert(value, forKey: key, cost: cost, expiry: expiry, at: now) }
    }

    /// Removes a value, even if it has been evicted and is only tracked weakly, and returns it.
    @discardableResult
    @inlinable
    public func removeValue(forKey key: Key) -> Value? {
        change { $0.remove(key) }
    }

    /// Returns the value that a lookup would find, without counting as a use.
    public func peek(_ key: Key) -> Value? {
        state.withLock { $0.peek(key, at: clock.now) }
    }

    /// Stores a value unless its key has a value other than `known` by now.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - key: The key to find it by.
    ///   - cost: The value's share of the cost limit.
    ///   - known: The value that may be replaced; `nil` if the key must have no value.
    public func insert(_ value: Value, forKey key: Key, cost: Int, inPlaceOf known: Value?) {
        // The present value leaves the lock before it is released: for a weakly tracked one, this may be the
        // last reference.
        _ = change { state -> Value? in
            let present = state.peek(key, at: clock.now)
            if present == nil || present === known {
                _ = state.insert(value, forKey: key, cost: max(1, cost), expiry: nil, at: clock.now)
            }
            return present
        }
    }

    /// Removes a value if its key still has it, and not one that has replaced it.
    public func removeValue(_ value: Value, forKey key: Key) {
        // The value found leaves the lock before it is released: this may be the last reference.
        _ = change { state in
            let found = state.peek(key)
            if found === value { _ = state.remove(key) }
            return found
        }
    }

    /// Changes a value's cost if the cache holds it for its key; counts as storing it again.
    public func updateCost(of value: Value, forKey key: Key, to cost: Int) {
        change { $0.updateCost(of: value, forKey: key, to: max(1, cost)) }
    }

    /// Removes every value, including evicted ones that are tracked weakly.
    public func removeAll() {
        report(change { $0.removeAll() })
    }

    /// The keys of all values, including evicted ones that are tracked weakly.
    package var keys: [Key] { state.withLock { $0.keys } }

    /// Removes the values whose keys match a predicate, including evicted ones that are tracked weakly.
    ///
    /// Every key is tested, outside the lock; values stored meanwhile may stay.
    public func removeAll(where isRemoved: (Key) -> Bool) {
        let keys = state.withLock { $0.keys }
        for key in keys where isRemoved(key) { removeValue(forKey: key) }
    }

    func report(_ remains: MemoryCacheContents<Key, Value>) {
        if let onRemoval { remains.report(to: onRemoval) }
    }

    /// Changes the state under the lock; afterwards reports and releases the removed values, in order.
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
    /// Stops the process if the structure is inconsistent; for tests.
    package func checkInvariants() {
        state.withLock { $0.checkInvariants() }
    }
}
