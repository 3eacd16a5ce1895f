public import CalotypeCache

/// When what a request stores stops being served, in place of what the caches say.
///
/// It holds for what the request stores: what a cache has already keeps its age. No key depends on it, so
/// requests that share their work share the expiry of the one that began it.
public struct CacheExpiry: Hashable, Sendable {
    /// In memory; `nil`, the default, is as `ImageCache.memoryExpiry` says.
    public var memory: Expiry?

    /// In the byte stores; `nil`, the default, is as each of them says (7 days after the write in a
    /// `DiskCache` unless its settings say otherwise).
    public var disk: Expiry?

    /// Creates an expiry; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - memory: When a decoded image stops being found.
    ///   - disk: When bytes stop being found.
    public init(memory: Expiry? = nil, disk: Expiry? = nil) {
        self.memory = memory
        self.disk = disk
    }
}
