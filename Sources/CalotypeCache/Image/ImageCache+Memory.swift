internal import CalotypeCodecs
public import CalotypeCore
import CalotypeSupport

/// The decoded images: at once, without waiting.
extension ImageCache {
    /// The image in memory for a key as it was kept, or `nil`; never waits.
    ///
    /// Where a query with a decode target has put it there it is smaller than the whole.
    public func residentImage(for key: ImageKey) -> Image? {
        memory.value(forKey: key)
    }

    /// Keeps an image in memory and nowhere else, in place of what its key had there.
    ///
    /// - Parameters:
    ///   - image: The image; it stands for its key from now on, also where a query has made it smaller.
    ///   - key: What it is found by.
    ///   - expiry: When it stops being found; as ``memoryExpiry`` unless given.
    /// - Returns: Whether memory has taken it.
    @discardableResult
    public func storeInMemory(_ image: Image, for key: ImageKey, expiry: Expiry? = nil) -> Insertion {
        changes.note(.key(key))
        partials.forget(image, for: key)
        return memory.insert(image, forKey: key, cost: image.cost + key.entryByteCount, expiry: expiry)
    }

    /// Forgets the image that memory has for a key; the stores keep theirs.
    public func removeFromMemory(_ key: ImageKey) {
        changes.note(.key(key))
        memory.removeValue(forKey: key)
    }

    /// Forgets all images in memory; the stores keep theirs.
    ///
    /// A pipeline keeps encoded bytes beside them: `ImagePipeline.removeAllFromMemory()` forgets both.
    public func removeAllFromMemory() {
        changes.note(.all)
        memory.removeAll()
    }

    /// Forgets the images in memory whose keys a closure picks; the stores keep theirs.
    ///
    /// - Parameter isRemoved: Whether the image of a key is to go; called on any thread.
    public func removeAllFromMemory(where isRemoved: @escaping @Sendable (ImageKey) -> Bool) {
        changes.note(.keys(where: isRemoved))
        memory.removeAll(where: isRemoved)
    }

    /// Evicts images from memory until they cost at most so many bytes; the limits stay as they are.
    public func trimMemory(toCost cost: Int) {
        memory.trim(toCost: cost)
    }

    /// Evicts images from memory until there are at most so many; the limits stay as they are.
    public func trimMemory(toCount count: Int) {
        memory.trim(toCount: count)
    }

    /// When images in memory stop being found, as `ImageCache.Memory(expiry:)` has set it; a change holds for
    /// what comes after it.
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

    /// The most images in memory, `nil` for any number; a lower limit evicts at once.
    ///
    /// - Precondition: The limit is not negative.
    public var memoryCountLimit: Int? {
        get { memory.countLimit }
        set { memory.countLimit = newValue }
    }

    /// The most bytes of one image in memory, `nil`, the default, for as many as of all; what is larger is
    /// not kept there.
    ///
    /// - Precondition: The limit is not negative.
    public var memoryEntryCostLimit: Int? {
        get { memory.entryCostLimit }
        set { memory.entryCostLimit = newValue }
    }

    /// What the cache has done since it was made, and what it holds in memory.
    ///
    /// What the stores hold is counted by ``usage(of:)``, and what a disk cache has done by
    /// ``DiskCache/statistics``.
    public var statistics: ImageCacheStatistics {
        ImageCacheStatistics(
            memory: memory.statistics,
            storeFailureCount: storeFailureCount.withLock { $0 },
            stuckDecodeCount: codecPool.stuckCount
        )
    }
}
