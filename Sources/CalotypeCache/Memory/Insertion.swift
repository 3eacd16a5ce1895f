/// The result of an insertion into a memory cache.
public enum Insertion: Hashable, Sendable {
    /// The value is in the cache; this many other entries were evicted for it.
    case stored(evictedCount: Int)

    /// The value was refused: its cost exceeds the cache's limit, or what the policy grants to a new key.
    ///
    /// A refused value is treated like one evicted at once: if the cache tracks evicted values weakly, it is
    /// still found while referenced elsewhere. The key's earlier value is removed in either case.
    case refused
}

/// The reason why a value was removed from a memory cache.
public enum RemovalCause: Hashable, Sendable, CaseIterable {
    /// Another value was inserted under its key.
    case replaced
    /// It was removed by its key, or with all others.
    case removed
    /// The cache exceeded its cost limit.
    case costLimit
    /// The cache exceeded its count limit.
    case countLimit
    /// The cache was trimmed to a cost or a count.
    case trim
    /// The system, or the process's control group, ran short of memory.
    case memoryPressure
    /// It expired; see ``MemoryCache/expiry``.
    case expired

    /// Whether the value may be found again while it is referenced elsewhere.
    @usableFromInline var leavesWatched: Bool {
        switch self {
        case .replaced, .removed, .expired: false
        case .costLimit, .countLimit, .trim, .memoryPressure: true
        }
    }
}
