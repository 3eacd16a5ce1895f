/// The counters of a memory cache since it was created, and its contents, in one consistent snapshot.
///
/// Each lookup counts as exactly one of a hit, a weak revival and a miss.
public struct MemoryCacheStatistics: Hashable, Sendable {
    /// The number of lookups that found a value.
    public var hitCount: Int { hits }
    /// The number of lookups that found an evicted value still referenced elsewhere.
    public internal(set) var weakRevivalCount = 0
    /// The number of lookups that found no value.
    public internal(set) var missCount = 0
    /// The number of insertions that were stored.
    public internal(set) var insertionCount = 0
    /// The number of insertions that were refused.
    public internal(set) var refusalCount = 0
    /// The number of entries in the cache.
    public internal(set) var count = 0
    /// The total cost of these entries; for images, bytes.
    public internal(set) var cost = 0

    @usableFromInline var hits = 0
    private var removals = RemovalCounts()

    @usableFromInline
    init() {}

    /// Creates the statistics of a custom memory level; values not given are 0.
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

    /// Returns the number of entries removed for a cause.
    public func removalCount(for cause: RemovalCause) -> Int {
        removals[cause]
    }

    /// The number of entries removed because of a limit, a trim or memory pressure.
    public var evictionCount: Int {
        removals.costLimit + removals.countLimit + removals.trim + removals.memoryPressure
    }

    @usableFromInline
    mutating func countRemoval(cost removedCost: Int, cause: RemovalCause) {
        count -= 1
        cost -= removedCost
        removals.count(cause, 1)
    }

    mutating func countRemovalOfAll(cause: RemovalCause) {
        removals.count(cause, count)
        (count, cost) = (0, 0)
    }
}

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
