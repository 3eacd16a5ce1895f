/// What operations took out of a cache, carried out of the lock before any of it is released.
///
/// Releasing a value or a key can run a `deinit` that calls the cache again, so none may go under the lock.
@usableFromInline
struct MemoryCacheDepartures<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    @usableFromInline
    struct Removal: Sendable {
        @usableFromInline let key: Key
        @usableFromInline let value: Value
        @usableFromInline let cause: RemovalCause

        @inlinable
        init(key: Key, value: Value, cause: RemovalCause) {
            self.key = key
            self.value = value
            self.cause = cause
        }
    }

    /// Values that were in the cache and that somebody wants to hear of, in the order in which they left.
    @usableFromInline var removals: [Removal] = []

    /// Keys and values that nobody hears of: most operations have one of each at most, and need no array.
    @usableFromInline var keys = ShortList<Key>()
    @usableFromInline var values = ShortList<Value>()

    @inlinable
    init() {}
}

/// A list whose first element needs no memory of its own.
@usableFromInline
struct ShortList<Element: Sendable>: Sendable {
    @usableFromInline var first: Element?
    @usableFromInline var others: [Element] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ element: Element) {
        if first == nil {
            first = element
        } else {
            others.append(element)
        }
    }
}
