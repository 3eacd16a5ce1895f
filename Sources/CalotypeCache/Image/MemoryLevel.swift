/// Where decoded images are kept in memory: a ``MemoryCache``, or what a program has of its own.
///
/// An ``ImageCache`` asks it from any thread, also on paths where somebody waits for a frame to be drawn: no
/// call waits for anything but a short lock. What is not implemented does nothing, or what can be done by the
/// calls that are.
public protocol MemoryLevel<Value>: AnyObject, Sendable {
    /// What is kept; an ``ImageCache`` keeps `Image`.
    associatedtype Value: AnyObject & Sendable

    /// The value for a key, or `nil`; counts as a use where that matters.
    func value(forKey key: ImageKey) -> Value?

    /// The value for a key, or `nil`, without any trace of the look; ``value(forKey:)`` unless implemented.
    func peek(_ key: ImageKey) -> Value?

    /// Stores a value in place of what the key had.
    ///
    /// - Parameters:
    ///   - value: What to store.
    ///   - key: What it is found by.
    ///   - cost: The bytes that it takes.
    ///   - expiry: When it is to stop being found; `nil` for whatever the level does.
    /// - Returns: Whether it was stored.
    @discardableResult
    func insert(_ value: Value, forKey key: ImageKey, cost: Int, expiry: Expiry?) -> Insertion

    /// Stores a value unless its key has another one by now than `known`; by looking first unless
    /// implemented.
    func insert(_ value: Value, forKey key: ImageKey, cost: Int, inPlaceOf known: Value?)

    /// Removes a value and returns it.
    @discardableResult
    func removeValue(forKey key: ImageKey) -> Value?

    /// Removes a value if it is still the one of its key; by looking first unless implemented.
    func removeValue(_ value: Value, forKey key: ImageKey)

    /// Gives a value another cost if it is still the one of its key; by storing it again unless implemented.
    func updateCost(of value: Value, forKey key: ImageKey, to cost: Int)

    /// Removes all values.
    func removeAll()

    /// Removes the values whose keys a closure picks.
    func removeAll(where isRemoved: (ImageKey) -> Bool)

    /// Removes what has expired; nothing unless implemented.
    func removeExpired()

    /// Lets values go until they cost at most so many bytes; nothing unless implemented.
    func trim(toCost cost: Int)

    /// Lets values go until there are at most so many; nothing unless implemented.
    func trim(toCount count: Int)

    /// The most bytes of values together; `Int.max`, and not to be changed, unless implemented.
    var costLimit: Int { get set }

    /// The most values; `nil`, and not to be changed, unless implemented.
    var countLimit: Int? { get set }

    /// The most bytes of one value; `nil`, and not to be changed, unless implemented.
    var entryCostLimit: Int? { get set }

    /// When values stop being found that have no expiry of their own; never, and not to be changed, unless
    /// implemented.
    var expiry: Expiry { get set }

    /// What it has done and what it holds; zeros unless implemented.
    var statistics: MemoryCacheStatistics { get }
}

extension MemoryLevel {
    /// As ``value(forKey:)``.
    public func peek(_ key: ImageKey) -> Value? { value(forKey: key) }

    /// Looks first.
    public func insert(_ value: Value, forKey key: ImageKey, cost: Int, inPlaceOf known: Value?) {
        let present = peek(key)
        if present == nil || present === known { insert(value, forKey: key, cost: cost, expiry: nil) }
    }

    /// Looks first.
    public func removeValue(_ value: Value, forKey key: ImageKey) {
        if peek(key) === value { removeValue(forKey: key) }
    }

    /// Stores it again.
    public func updateCost(of value: Value, forKey key: ImageKey, to cost: Int) {
        if peek(key) === value { insert(value, forKey: key, cost: cost, expiry: nil) }
    }

    /// Nothing.
    public func removeExpired() {}

    /// Nothing.
    public func trim(toCost cost: Int) {}

    /// Nothing.
    public func trim(toCount count: Int) {}

    /// No limit.
    public var costLimit: Int {
        get { .max }
        set {}
    }

    /// No limit.
    public var countLimit: Int? {
        get { nil }
        set {}
    }

    /// No limit.
    public var entryCostLimit: Int? {
        get { nil }
        set {}
    }

    /// Never.
    public var expiry: Expiry {
        get { .never }
        set {}
    }

    /// Zeros.
    public var statistics: MemoryCacheStatistics { MemoryCacheStatistics(count: 0, cost: 0) }
}

extension MemoryCache: MemoryLevel where Key == ImageKey {}
