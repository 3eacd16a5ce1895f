public import CalotypeCache

/// The expiry of what a request stores, in place of the caches' own.
///
/// It applies to what the request stores; cached entries keep their expiry. Keys do not depend on it, so
/// requests that share their work share the expiry of the one that started it.
public struct CacheExpiry: Hashable, Sendable {
    /// The expiry in memory; `nil`, the default, for `ImageCache.memoryExpiry`.
    public var memory: Expiry?

    /// The expiry in the byte stores; `nil`, the default, for that of each store (7 days after the write in a
    /// `DiskCache` unless set otherwise).
    public var disk: Expiry?

    /// Creates an expiry; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - memory: The expiry of a decoded image in memory.
    ///   - disk: The expiry of bytes in the stores.
    public init(memory: Expiry? = nil, disk: Expiry? = nil) {
        self.memory = memory
        self.disk = disk
    }
}
