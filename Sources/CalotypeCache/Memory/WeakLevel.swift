/// Values that have left a cache, for as long as somebody else holds them.
///
/// A weak reference costs an allocation and slows each later retain of its object, so it is made when a value
/// leaves, not when it comes. References to values that are gone are swept out when their number could have
/// doubled since the last sweep, so that they never outnumber the living by more than that.
struct WeakLevel<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    typealias Departures = MemoryCacheDepartures<Key, Value>

    private struct Reference: Sendable {
        weak let value: Value?
        let cost: Int
    }

    private static var sweepCountMin: Int { 64 }

    private var references: [Key: Reference] = [:]
    private var sweepCount = sweepCountMin

    /// The number of references, to living values and to others.
    var count: Int { references.count }

    /// The keys of all references.
    var keys: [Key] { Array(references.keys) }

    /// Watches a value.
    mutating func insert(_ value: Value, forKey key: Key, cost: Int, departures: inout Departures) {
        if references.count >= sweepCount { sweep(&departures) }
        references[key] = Reference(value: value, cost: cost)
    }

    /// The value for a key where it is still alive, with its cost.
    ///
    /// The caller holds the value from here on, and must not let go of it under a lock.
    func value(forKey key: Key) -> (value: Value, cost: Int)? {
        guard let reference = references[key], let value = reference.value else { return nil }
        return (value, reference.cost)
    }

    /// Stops watching the value for a key.
    mutating func remove(_ key: Key, departures: inout Departures) {
        guard let index = references.index(forKey: key) else { return }
        departures.add(key: references.remove(at: index).key)
    }

    /// Stops watching everything.
    mutating func removeAll(departures: inout Departures) {
        for key in references.keys { departures.add(key: key) }
        references = [:]
        sweepCount = Self.sweepCountMin
    }

    private mutating func sweep(_ departures: inout Departures) {
        var living: [Key: Reference] = [:]
        for (key, reference) in references {
            if let value = reference.value {
                departures.add(bystander: value)
                living[key] = reference
            } else {
                departures.add(key: key)
            }
        }
        references = living
        sweepCount = max(Self.sweepCountMin, living.count * 2)
    }
}
