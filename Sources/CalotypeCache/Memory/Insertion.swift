/// What became of a value that was handed to a memory cache.
public enum Insertion: Hashable, Sendable {
    /// It is in the cache; so many other entries left for it.
    case stored(evictedCount: Int)

    /// It is not: it costs more than the cache may hold, or more than the policy grants to a first sight.
    ///
    /// A refused value is treated like one that was evicted at once: where the cache keeps evicted values
    /// weakly, it is still found for as long as somebody holds it. What the key had before is gone either
    /// way.
    case refused
}

/// Why a value left a memory cache.
public enum RemovalCause: Hashable, Sendable, CaseIterable {
    /// Another value was inserted under its key.
    case replaced
    /// It was removed by its key, or together with all others.
    case removed
    /// The cache held more than its cost limit.
    case costLimit
    /// The cache held more entries than its count limit.
    case countLimit
    /// The cache was trimmed to a cost or a count.
    case trim
    /// The system, or the process's group, ran short of memory.
    case memoryPressure
    /// Its time was over; see ``MemoryCache/expiry``.
    case expired

    /// Whether the value may be found again while somebody holds it.
    @usableFromInline var leavesWatched: Bool {
        switch self {
        case .replaced, .removed, .expired: false
        case .costLimit, .countLimit, .trim, .memoryPressure: true
        }
    }
}
