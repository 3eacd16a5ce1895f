/// The number of an entry in a cache; numbers are dense and reused.
@usableFromInline
typealias Slot = Int

/// A policy that chooses which entries of a memory cache to evict.
///
/// A policy knows entries by their slots and costs only: it has no keys, values, lock or clock. It *holds*
/// the slots whose values stay in memory. Beyond these it may *know* others, whose values are gone, to judge
/// them better when they come back. It records its decisions in an ``EvictionLog``.
@usableFromInline
protocol EvictionPolicy: Sendable {
    /// Creates a policy that holds no slots.
    init(limits: CacheLimits)

    /// The limits of the held slots; call ``shrink(_:)`` after a change.
    var limits: CacheLimits { get set }

    /// The load of the held slots.
    var load: CacheLoad { get }

    /// Returns whether the value in a slot stays in memory.
    func holds(_ slot: Slot) -> Bool

    /// Returns whether a slot is held or remembered; otherwise it may be reused for another entry.
    func knows(_ slot: Slot) -> Bool

    /// Records a read of a held slot.
    ///
    /// - Returns: Whether enough work has accumulated that ``settle(_:)`` should run soon.
    mutating func hit(_ slot: Slot) -> Bool

    /// Records hits in their order; returns whether any of them returned true.
    mutating func hit(_ notes: HitBuffer) -> Bool

    /// Does the deferred work; holds the same slots afterwards, but may know fewer.
    mutating func settle(_ log: inout EvictionLog)

    /// Inserts a slot, or a new value for one that is held or known, and evicts others as needed.
    ///
    /// - Parameters:
    ///   - slot: A slot that is new, known or held.
    ///   - cost: The cost, at least 1 and at most the limit.
    ///   - log: Receives the evictions, never including the slot itself.
    /// - Returns: Whether the slot is held now.
    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool

    /// Evicts the least valuable slot; returns `false` if none is held.
    mutating func evict(_ log: inout EvictionLog) -> Bool

    /// Forgets a slot, held or known; does not write to the log.
    mutating func remove(_ slot: Slot)

    /// Stops the process if the structure is inconsistent; for tests.
    func checkInvariants()
}

extension EvictionPolicy {
    func knows(_ slot: Slot) -> Bool {
        holds(slot)
    }

    mutating func hit(_ notes: HitBuffer) -> Bool {
        var isTimeToSettle = false
        for index in 0..<notes.count {
            if hit(Slot(notes.slots[index])) { isTimeToSettle = true }
        }
        return isTimeToSettle
    }

    mutating func settle(_ log: inout EvictionLog) {}

    /// Evicts what exceeds the limits, after they were lowered.
    @usableFromInline
    mutating func shrink(_ log: inout EvictionLog) {
        while !limits.admit(load), evict(&log) {}
        settle(&log)
    }
}

/// The slots that a policy has let go since the log was last emptied, in order.
@usableFromInline
struct EvictionLog: Sendable {
    /// Slots that are no longer held; the policy may still know them.
    @usableFromInline var evicted: [Slot] = []

    /// Slots that the policy, or a part of it, has let go, for any reason and any number of times.
    ///
    /// The policy may still know such a slot, or know it again: another part may know it, or it came back in
    /// the same operation. Test ``EvictionPolicy/knows(_:)`` when applying the log, after the operation.
    @usableFromInline var letGo: [Slot] = []

    @usableFromInline
    init() {}

    var isEmpty: Bool { evicted.isEmpty && letGo.isEmpty }

    /// Empties the log without releasing its storage.
    @inlinable
    mutating func removeAll() {
        // Emptying an array costs the same whether it has elements or not.
        if !evicted.isEmpty { evicted.removeAll(keepingCapacity: true) }
        if !letGo.isEmpty { letGo.removeAll(keepingCapacity: true) }
    }
}

@usableFromInline
struct CacheLimits: Hashable, Sendable {
    /// An eighth of the range of `Int`, so that the loads of a policy's parts can be added and compared.
    @inlinable static var maxCost: Int { 1 << 60 }

    @usableFromInline var cost: Int
    /// The most entries; `Int.max` for no limit.
    @usableFromInline var count: Int

    @inlinable
    init(cost: Int, count: Int = .max) {
        self.cost = cost
        self.count = count
    }

    /// The limits with the cost capped at ``maxCost``.
    @inlinable
    var bounded: CacheLimits {
        CacheLimits(cost: min(cost, Self.maxCost), count: count)
    }

    @inlinable
    func admit(_ load: CacheLoad) -> Bool {
        load.cost <= cost && load.count <= count
    }

    /// Returns a part of the limits; `percent` is 0...100.
    func share(percent: Int) -> CacheLimits {
        CacheLimits(
            cost: Self.share(of: cost, percent: percent),
            count: Self.share(of: count, percent: percent)
        )
    }

    private static func share(of whole: Int, percent: Int) -> Int {
        let (hundreds, rest) = whole.quotientAndRemainder(dividingBy: 100)
        return hundreds * percent + rest * percent / 100
    }
}

/// The load of a cache, or of a part of it.
@usableFromInline
struct CacheLoad: Hashable, Sendable {
    @usableFromInline var cost: Int
    @usableFromInline var count: Int

    @inlinable
    init(cost: Int = 0, count: Int = 0) {
        self.cost = cost
        self.count = count
    }

    /// Returns the load with one more entry.
    func adding(cost added: Int) -> CacheLoad {
        CacheLoad(cost: cost + added, count: count + 1)
    }

    /// Returns the load with one entry less.
    func subtracting(cost removed: Int) -> CacheLoad {
        CacheLoad(cost: cost - removed, count: count - 1)
    }

    static func - (left: CacheLoad, right: CacheLoad) -> CacheLoad {
        CacheLoad(cost: left.cost - right.cost, count: left.count - right.count)
    }

    @inlinable
    static func + (left: CacheLoad, right: CacheLoad) -> CacheLoad {
        CacheLoad(cost: left.cost + right.cost, count: left.count + right.count)
    }
}
