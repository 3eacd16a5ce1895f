/// The counters of an image cache since it was created, and the contents of its memory.
public struct ImageCacheStatistics: Hashable, Sendable {
    /// The images in memory, in one consistent snapshot.
    public var memory: MemoryCacheStatistics
    /// The number of store queries that failed, even if memory or another store had the result.
    public var storeFailureCount: Int
    /// The number of threads blocked by decodes that exceed `DecodeLimits.maxDuration` and cannot be stopped;
    /// other threads replace them.
    public var stuckDecodeCount: Int
}
