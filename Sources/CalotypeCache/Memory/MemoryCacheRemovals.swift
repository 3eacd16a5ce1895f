/// Keys and values removed from a cache, carried out of the lock before any of them is released.
///
/// Releasing a value or a key can run a `deinit` that calls the cache again, so none may be released under
/// the lock.
@usableFromInline
struct MemoryCacheRemovals<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
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

    /// Values removed from a cache with a removal handler, in the order of their removal.
    @usableFromInline var removals: [Removal] = []

    /// Keys and values that are not reported: most operations have at most one of each, and need no array.
    @usableFromInline var keys = ShortList<Key>()
    @usableFromInline var values = ShortList<Value>()

    @inlinable
    init() {}
}

/// A list whose first element needs no allocation.
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
