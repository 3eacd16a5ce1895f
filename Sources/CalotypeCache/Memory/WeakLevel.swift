/// Values that have left a cache, for as long as somebody else holds them.
///
/// A weak reference costs an allocation and slows each later retain of its object, so it is made when a value
/// leaves, not when it comes, and only if somebody else holds the value then. References to values that are
/// gone are swept out when their number could have doubled since the last sweep, so that they never outnumber
/// the living by more than that.
@usableFromInline
struct WeakLevel<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    @usableFromInline typealias Departures = MemoryCacheDepartures<Key, Value>

    @usableFromInline
    struct Reference: Sendable {
        @usableFromInline weak let value: Value?
        @usableFromInline let cost: Int

        @inlinable
        init(_ value: Value, cost: Int) {
            self.value = value
            self.cost = cost
        }
    }

    @inlinable static var sweepCountMin: Int { 64 }

    @usableFromInline var references: [Key: Reference] = [:]
    @usableFromInline var sweepCount = sweepCountMin

    @inlinable
    init() {}

    /// The number of references, to living values and to others.
    @inlinable
    var count: Int { references.count }

    /// The keys of all references.
    @inlinable
    var keys: [Key] { Array(references.keys) }

    /// Watches a value.
    @inlinable
    mutating func insert(_ value: Value, forKey key: Key, cost: Int, departures: inout Departures) {
        if references.count >= sweepCount { sweep(&departures) }
        references[key] = Reference(value, cost: cost)
    }

    /// The value for a key where it is still alive, with its cost.
    ///
    /// The caller holds the value from here on, and must not let go of it under a lock.
    @inlinable
    func value(forKey key: Key) -> (value: Value, cost: Int)? {
        guard let reference = references[key], let value = reference.value else { return nil }
        return (value, reference.cost)
    }

    /// Stops watching the value for a key.
    @inlinable
    mutating func remove(_ key: Key, departures: inout Departures) {
        guard let index = references.index(forKey: key) else { return }
        departures.keys.append(references.remove(at: index).key)
    }

    /// Stops watching everything.
    @inlinable
    mutating func removeAll(departures: inout Departures) {
        for key in references.keys { departures.keys.append(key) }
        references = [:]
        sweepCount = Self.sweepCountMin
    }

    @inlinable
    mutating func sweep(_ departures: inout Departures) {
        var living: [Key: Reference] = [:]
        for (key, reference) in references {
            if let value = reference.value {
                departures.values.append(value)
                living[key] = reference
            } else {
                departures.keys.append(key)
            }
        }
        references = living
        sweepCount = max(Self.sweepCountMin, living.count * 2)
    }
}
