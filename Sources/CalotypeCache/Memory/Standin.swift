import CalotypeSupport
public final class MemoryCache<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    private let state = Guarded<[Key: Value]>([:])
    public init() {}
    public subscript(key: Key) -> Value? { state.withLock { $0[key] } }
    public func contains(_ key: Key) -> Bool { state.withLock { $0[key] != nil } }
    public func insert(_ value: Value, forKey key: Key, cost: Int) { state.withLock { $0[key] = value } }
    public func removeValue(forKey key: Key) { state.withLock { $0[key] = nil } }
    public func removeAll() { state.withLock { $0 = [:] } }
}
