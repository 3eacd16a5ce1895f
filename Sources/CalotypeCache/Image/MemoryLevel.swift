/// The memory level for decoded images: a ``MemoryCache``, or a program's own implementation.
///
/// An ``ImageCache`` calls it from any thread, including code that waits for a frame to be drawn: calls must
/// not wait for more than a short lock. The default implementations do nothing, or use the required members.
public protocol MemoryLevel<Value>: AnyObject, Sendable {
    /// The type of the values; an ``ImageCache`` stores `Image`.
    associatedtype Value: AnyObject & Sendable

    /// Returns the value for a key, or `nil`; counts as a use if the level tracks uses.
    func value(forKey key: ImageKey) -> Value?

    /// Returns the value for a key, or `nil`, without counting as a use; calls ``value(forKey:)`` unless
    /// implemented.
    func peek(_ key: ImageKey) -> Value?

    /// Stores a value, replacing the key's earlier one.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - key: The key to find it by.
    ///   - cost: The value's size in bytes.
    ///   - expiry: The value's own expiry; `nil` for the level's default.
    /// - Returns: Whether it was stored.
    @discardableResult
    func insert(_ value: Value, forKey key: ImageKey, cost: Int, expiry: Expiry?) -> Insertion

    /// Stores a value unless its key has a value other than `known` by now; calls ``peek(_:)`` first unless
    /// implemented.
    func insert(_ value: Value, forKey key: ImageKey, cost: Int, inPlaceOf known: Value?)

    /// Removes a value and returns it.
    @discardableResult
    func removeValue(forKey key: ImageKey) -> Value?

    /// Removes a value if its key still has it; calls ``peek(_:)`` first unless implemented.
    func removeValue(_ value: Value, forKey key: ImageKey)

    /// Changes a value's cost if its key still has it; stores it again unless implemented.
    func updateCost(of value: Value, forKey key: ImageKey, to cost: Int)

    /// Removes all values.
    func removeAll()

    /// Removes the values whose keys match a predicate.
    func removeAll(where isRemoved: (ImageKey) -> Bool)

    /// Removes expired values; does nothing unless implemented.
    func removeExpired()

    /// Evicts values until their total cost is at most `cost` bytes; does nothing unless implemented.
    func trim(toCost cost: Int)

    /// Evicts values until at most `count` remain; does nothing unless implemented.
    func trim(toCount count: Int)

    /// The most bytes of all values; `Int.max`, ignoring changes, unless implemented.
    var costLimit: Int { get set }

    /// The most values; `nil`, ignoring changes, unless implemented.
    var countLimit: Int? { get set }

    /// The most bytes of one value; `nil`, ignoring changes, unless implemented.
    var entryCostLimit: Int? { get set }

    /// The expiry of values without their own; never, ignoring changes, unless implemented.
    var expiry: Expiry { get set }

    /// The counters and the contents; zeros unless implemented.
    var statistics: MemoryCacheStatistics { get }
}

extension MemoryLevel {
    /// Calls ``value(forKey:)``.
    public func peek(_ key: ImageKey) -> Value? { value(forKey: key) }

    /// Calls ``peek(_:)``, then inserts the value if its key has no other.
    public func insert(_ value: Value, forKey key: ImageKey, cost: Int, inPlaceOf known: Value?) {
        let present = peek(key)
        if present == nil || present === known { insert(value, forKey: key, cost: cost, expiry: nil) }
    }

    /// Calls ``peek(_:)``, then removes the value if its key still has it.
    public func removeValue(_ value: Value, forKey key: ImageKey) {
        if peek(key) === value { removeValue(forKey: key) }
    }

    /// Inserts the value again if its key still has it.
    public func updateCost(of value: Value, forKey key: ImageKey, to cost: Int) {
        if peek(key) === value { insert(value, forKey: key, cost: cost, expiry: nil) }
    }

    /// Does nothing.
    public func removeExpired() {}

    /// Does nothing.
    public func trim(toCost cost: Int) {}

    /// Does nothing.
    public func trim(toCount count: Int) {}

    /// Unlimited; ignores changes.
    public var costLimit: Int {
        get { .max }
        set {}
    }

    /// Unlimited; ignores changes.
    public var countLimit: Int? {
        get { nil }
        set {}
    }

    /// Unlimited; ignores changes.
    public var entryCostLimit: Int? {
        get { nil }
        set {}
    }

    /// Never; ignores changes.
    public var expiry: Expiry {
        get { .never }
        set {}
    }

    /// All zeros.
    public var statistics: MemoryCacheStatistics { MemoryCacheStatistics(count: 0, cost: 0) }
}

extension MemoryCache: MemoryLevel where Key == ImageKey {}
