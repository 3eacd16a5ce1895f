/// What an image cache has done since it was made, and what it holds in memory.
public struct ImageCacheStatistics: Hashable, Sendable {
    /// The images in memory, in one consistent reading.
    public var memory: MemoryCacheStatistics
    /// Questions that a store answered with an error, also where memory or another store had the answer.
    public var storeFailureCount: Int
    /// Threads that are held by decodes beyond `DecodeLimits.durationMax`, which a library does not let end;
    /// others do their work.
    public var stuckDecodeCount: Int
}
