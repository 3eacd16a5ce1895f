/// What operations took out of a cache, carried out of the lock before any of it is released.
///
/// Releasing a value or a key can run a `deinit` that calls the cache again, so none may go under the lock.
struct MemoryCacheDepartures<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    struct Removal: Sendable {
        let key: Key
        let value: Value
        let cause: RemovalCause
    }

    /// Values that were in the cache, in the order in which they left.
    private(set) var removals: [Removal] = []

    /// Keys whose value had left before; nobody hears of them.
    private var keys: [Key] = []

    /// Values that were looked at and stay where they are: each look holds the value for a moment, and may be
    /// the last to hold it.
    private var bystanders: [Value] = []

    mutating func add(_ value: Value, forKey key: Key, cause: RemovalCause) {
        removals.append(Removal(key: key, value: value, cause: cause))
    }

    mutating func add(key: Key) {
        keys.append(key)
    }

    mutating func add(bystander: Value) {
        bystanders.append(bystander)
    }
}
