internal import CalotypeCodecs
public import CalotypeCore
import CalotypeSupport

/// The decoded images in memory, accessed without waiting.
extension ImageCache {
    /// Returns the image in memory for a key, as stored, or `nil`; never waits.
    ///
    /// It is smaller than the original if a query with a decode target has stored it.
    public func residentImage(for key: ImageKey) -> Image? {
        memory.value(forKey: key)
    }

    /// Stores an image in memory only, replacing the key's earlier one.
    ///
    /// - Parameters:
    ///   - image: The image; it represents its key from now on, even if a query has decoded it smaller.
    ///   - key: The key to find it by.
    ///   - expiry: The image's own expiry; ``memoryExpiry`` unless given.
    /// - Returns: Whether memory has stored it.
    @discardableResult
    public func storeInMemory(_ image: Image, for key: ImageKey, expiry: Expiry? = nil) -> Insertion {
        changes.note(.key(key))
        partials.forget(image, for: key)
        return memory.insert(image, forKey: key, cost: image.cost + key.entryByteCount, expiry: expiry)
    }

    /// Removes the image in memory for a key; the stores are unchanged.
    public func removeFromMemory(_ key: ImageKey) {
        changes.note(.key(key))
        memory.removeValue(forKey: key)
    }

    /// Removes all images in memory; the stores are unchanged.
    ///
    /// A pipeline also caches encoded bytes in memory: `ImagePipeline.removeAllFromMemory()` removes both.
    public func removeAllFromMemory() {
        changes.note(.all)
        memory.removeAll()
    }

    /// Removes the images in memory whose keys match a predicate; the stores are unchanged.
    ///
    /// - Parameter isRemoved: Whether to remove the image of a key; called on any thread.
    public func removeAllFromMemory(where isRemoved: @escaping @Sendable (ImageKey) -> Bool) {
        changes.note(.keys(where: isRemoved))
        memory.removeAll(where: isRemoved)
    }

    /// Evicts images from memory until their total cost is at most `cost` bytes; the limits are unchanged.
    public func trimMemory(toCost cost: Int) {
        memory.trim(toCost: cost)
    }

    /// Evicts images from memory until at most `count` remain; the limits are unchanged.
    public func trimMemory(toCount count: Int) {
        memory.trim(toCount: count)
    }

    /// The expiry of images in memory, as set by `ImageCache.Memory(expiry:)`; a change applies to images
    /// stored later.
    public var memoryExpiry: Expiry {
        get { memory.expiry }
        set { memory.expiry = newValue }
    }

    /// The most bytes of images in memory; a lower limit evicts at once.
    ///
    /// - Precondition: The limit is not negative.
    public var memoryCostLimit: Int {
        get { memory.costLimit }
        set { memory.costLimit = newValue }
    }

    /// The most images in memory, `nil` for no limit; a lower limit evicts at once.
    ///
    /// - Precondition: The limit is not negative.
    public var memoryCountLimit: Int? {
        get { memory.countLimit }
        set { memory.countLimit = newValue }
    }

    /// The most bytes of one image in memory; `nil`, the default, for the cost limit.
    ///
    /// Larger images are not stored there.
    ///
    /// - Precondition: The limit is not negative.
    public var memoryEntryCostLimit: Int? {
        get { memory.entryCostLimit }
        set { memory.entryCostLimit = newValue }
    }

    /// The counters of the cache since it was created, and the contents of memory.
    ///
    /// Use ``usage(of:)`` for the contents of the stores, and ``DiskCache/statistics`` for the counters of a
    /// disk cache.
    public var statistics: ImageCacheStatistics {
        ImageCacheStatistics(
            memory: memory.statistics,
            storeFailureCount: storeFailureCount.withLock { $0 },
            stuckDecodeCount: codecPool.stuckCount
        )
    }
}
