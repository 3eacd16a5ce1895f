/// Evicted values, tracked weakly while they are referenced elsewhere.
///
/// A weak reference costs an allocation and slows each later retain of its object. So it is created when a
/// value is evicted, not when it is inserted, and only if the value is referenced elsewhere then. References
/// are in many small tables, so that neither growing a table nor a sweep takes long. Each change of the cache
/// pays for inspecting four references, one table after the other: dead references never outnumber living
/// ones by much, and are removed soon.
@usableFromInline
struct WeakLevel<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    @usableFromInline typealias Departures = MemoryCacheRemovals<Key, Value>
    @usableFromInline typealias Table = [Key: Reference]

    /// An object, since a weak reference itself is slow to copy and move.
    @usableFromInline
    final class Reference: Sendable {
        @usableFromInline weak let value: Value?
        @usableFromInline let cost: Int
        /// The expiry, as in the cache.
        @usableFromInline let age: MemoryExpiry.Age?

        @inlinable
        init(_ value: Value, cost: Int, age: MemoryExpiry.Age?) {
            self.value = value
            self.cost = cost
            self.age = age
        }
    }

    @inlinable static var tableCount: Int { 256 }
    @inlinable static var looksPerChange: Int { 4 }

    // By the upper eight bits of the key's tag; empty until a value is tracked.
    @usableFromInline var tables: [Table] = []
    @usableFromInline var count = 0
    /// The next table to sweep, and the number of inspections paid for.
    @usableFromInline var turn = 0
    @usableFromInline var lookCount = 0

    @inlinable
    init() {}

    @inlinable
    var keys: [Key] { tables.flatMap(\.keys) }

    @inlinable
    static func table(of key: Key) -> Int {
        Int(SlotTable.tag(ofHash: key.hashValue) >> 24)
    }

    @inlinable
    mutating func insert(
        _ value: Value,
        forKey key: Key,
        cost: Int,
        age: MemoryExpiry.Age? = nil,
        departures: inout Departures
    ) {
        if tables.isEmpty { tables = Array(repeating: [:], count: Self.tableCount) }
        let reference = Reference(value, cost: cost, age: age)
        if tables[Self.table(of: key)].updateValue(reference, forKey: key) == nil { count += 1 }
        sweepSome(&departures)
    }

    /// Returns the value for a key if it is still alive, with its cost.
    ///
    /// The caller retains the value, and must not release it under a lock.
    @inlinable
    func value(forKey key: Key) -> (value: Value, cost: Int)? {
        guard count > 0, let reference = tables[Self.table(of: key)][key], let value = reference.value else {
            return nil
        }
        return (value, reference.cost)
    }

    /// Returns the age of the value for a key, even if the value is gone.
    @inlinable
    func age(forKey key: Key) -> MemoryExpiry.Age? {
        count > 0 ? tables[Self.table(of: key)][key]?.age : nil
    }

    /// Stops tracking the value for a key.
    @inlinable
    mutating func remove(_ key: Key, departures: inout Departures) {
        guard count > 0 else { return }
        let table = Self.table(of: key)
        if let index = tables[table].index(forKey: key) {
            departures.keys.append(tables[table].remove(at: index).key)
            count -= 1
        }
        sweepSome(&departures)
    }

    /// Stops tracking all values, and returns the references.
    @inlinable
    mutating func removeAll() -> [Table] {
        defer { self = WeakLevel() }
        return tables
    }

    /// Sweeps the next tables, as far as paid for; an empty table costs an inspection too.
    @inlinable
    mutating func sweepSome(_ departures: inout Departures) {
        lookCount += Self.looksPerChange
        while lookCount > tables[turn].count {
            lookCount -= tables[turn].count + 1
            sweep(turn, &departures)
            turn = (turn + 1) % Self.tableCount
        }
    }

    @inlinable
    mutating func sweep(_ table: Int, _ departures: inout Departures) {
        var gone: [Key] = []
        for (key, reference) in tables[table] {
            if let value = reference.value {
                departures.values.append(value)
            } else {
                gone.append(key)
            }
        }
        for key in gone {
            guard let index = tables[table].index(forKey: key) else { continue }
            departures.keys.append(tables[table].remove(at: index).key)
        }
        count -= gone.count
        // The new table is sized for the remaining entries.
        if tables[table].count * 4 < tables[table].capacity {
            tables[table] = tables[table].filter { _ in true }
        }
    }
}
