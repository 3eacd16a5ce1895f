/// What a memory cache has done since it was made, and what it holds: one consistent reading.
///
/// Each lookup counts as exactly one of a hit, a weak revival and a miss.
public struct MemoryCacheStatistics: Hashable, Sendable {
    /// Lookups that found a value.
    public var hitCount: Int { hits }
    /// Lookups that found a value which had left the cache and was still held by somebody.
    public internal(set) var weakRevivalCount = 0
    /// Lookups that found nothing.
    public internal(set) var missCount = 0
    /// Insertions that were stored.
    public internal(set) var insertionCount = 0
    /// Insertions that were refused.
    public internal(set) var refusalCount = 0
    /// Entries in the cache.
    public internal(set) var count = 0
    /// The sum of the costs of these entries; for images, bytes.
    public internal(set) var cost = 0

    @usableFromInline var hits = 0
    private var removals = RemovalCounts()

    @usableFromInline
    init() {}

    /// Creates what a memory level of one's own tells; what is not told is 0.
    public init(hitCount: Int = 0, missCount: Int = 0, count: Int, cost: Int) {
        hits = hitCount
        self.missCount = missCount
        self.count = count
        self.cost = cost
    }

    @inlinable @inline(__always)
    mutating func countHit() {
        hits &+= 1
    }

    @usableFromInline
    mutating func countMiss() {
        missCount += 1
    }

    @usableFromInline
    mutating func countWeakRevival() {
        weakRevivalCount += 1
    }

    @usableFromInline
    mutating func countRefusal() {
        refusalCount += 1
    }

    @usableFromInline
    mutating func countInsertion() {
        insertionCount += 1
    }

    @usableFromInline
    mutating func countEntry(cost addedCost: Int) {
        count += 1
        cost += addedCost
    }

    /// How many entries have left the cache for one cause.
    public func removalCount(for cause: RemovalCause) -> Int {
        removals[cause]
    }

    /// Entries that left because of a limit, a trim or memory pressure.
    public var evictionCount: Int {
        removals.costLimit + removals.countLimit + removals.trim + removals.memoryPressure
    }

    @usableFromInline
    mutating func countRemoval(cost removedCost: Int, cause: RemovalCause) {
        count -= 1
        cost -= removedCost
        removals.count(cause, 1)
    }

    /// Counts the removal of all that there is.
    mutating func countRemovalOfAll(cause: RemovalCause) {
        removals.count(cause, count)
        (count, cost) = (0, 0)
    }
}

/// A counter for each cause of removal.
private struct RemovalCounts: Hashable, Sendable {
    var replaced = 0
    var removed = 0
    var costLimit = 0
    var countLimit = 0
    var trim = 0
    var memoryPressure = 0
    var expired = 0

    subscript(cause: RemovalCause) -> Int {
        switch cause {
        case .replaced: replaced
        case .removed: removed
        case .costLimit: costLimit
        case .countLimit: countLimit
        case .trim: trim
        case .memoryPressure: memoryPressure
        case .expired: expired
        }
    }

    mutating func count(_ cause: RemovalCause, _ number: Int) {
        switch cause {
        case .replaced: replaced += number
        case .removed: removed += number
        case .costLimit: costLimit += number
        case .countLimit: countLimit += number
        case .trim: trim += number
        case .memoryPressure: memoryPressure += number
        case .expired: expired += number
        }
    }
}
