/// The number under which a cache keeps an entry; numbers are dense and used again.
@usableFromInline
typealias Slot = Int

/// Decides which entries of a memory cache leave.
///
/// A policy knows entries by their slots and costs only: no keys, no values, no lock, no clock. It *holds*
/// the slots whose values stay in memory; beyond these it may *know* others, whose values are gone, to judge
/// them better when they come back. What it lets go of it writes into an ``EvictionLog``.
@usableFromInline
protocol EvictionPolicy: Sendable {
    /// Creates a policy that holds nothing.
    init(limits: CacheLimits)

    /// What is held at most; to be followed by ``shrink(_:)``.
    var limits: CacheLimits { get set }

    /// What is held.
    var load: CacheLoad { get }

    /// Whether the value in a slot stays in memory.
    func holds(_ slot: Slot) -> Bool

    /// Whether a slot is held or remembered; one that is not may be used for another entry.
    func knows(_ slot: Slot) -> Bool

    /// Notes that a slot that is held was read.
    ///
    /// - Returns: Whether work has piled up that ``settle(_:)`` should do soon.
    mutating func hit(_ slot: Slot) -> Bool

    /// Notes hits in their order; returns what one of them would have.
    mutating func hit(_ notes: HitNotes) -> Bool

    /// Does the work that has been put off; holds the same slots afterwards, but may know fewer.
    mutating func settle(_ log: inout EvictionLog)

    /// Takes a value in, or a new value for a slot that is held or known, and evicts what has to leave for
    /// it.
    ///
    /// - Parameters:
    ///   - slot: One that is new, known or held.
    ///   - cost: At least 1 and at most the limit.
    ///   - log: Receives what has left; never the slot itself among what was evicted.
    /// - Returns: Whether the slot is held now.
    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool

    /// Lets go of the slot that is worth least; `false` if none is held.
    mutating func evict(_ log: inout EvictionLog) -> Bool

    /// Forgets a slot, held or known; nothing is logged.
    mutating func remove(_ slot: Slot)

    /// Stops the process where the structure contradicts itself; for tests.
    func checkInvariants()
}

extension EvictionPolicy {
    func knows(_ slot: Slot) -> Bool {
        holds(slot)
    }

    mutating func hit(_ notes: HitNotes) -> Bool {
        var isTimeToSettle = false
        for index in 0..<notes.count {
            if hit(Slot(notes.slots[index])) { isTimeToSettle = true }
        }
        return isTimeToSettle
    }

    mutating func settle(_ log: inout EvictionLog) {}

    /// Lets go of what is more than the limits, after they were lowered.
    @usableFromInline
    mutating func shrink(_ log: inout EvictionLog) {
        while !limits.admit(load), evict(&log) {}
        settle(&log)
    }
}

/// What a policy has let go of since the log was last emptied, in that order.
@usableFromInline
struct EvictionLog: Sendable {
    /// Slots that are no longer held; the policy may still know them.
    @usableFromInline var evicted: [Slot] = []

    /// Slots that the policy, or a part of it, has let go of, for whatever reason and however often.
    ///
    /// It may know them still, or again since: one that another part knows, or one that came back in the same
    /// operation. Whoever carries out the log asks ``EvictionPolicy/knows(_:)`` once the operation is over.
    @usableFromInline var letGo: [Slot] = []

    @usableFromInline
    init() {}

    var isEmpty: Bool { evicted.isEmpty && letGo.isEmpty }

    /// Empties the log and keeps its storage.
    @inlinable
    mutating func removeAll() {
        // Emptying an array costs the same whether there is something in it or not.
        if !evicted.isEmpty { evicted.removeAll(keepingCapacity: true) }
        if !letGo.isEmpty { letGo.removeAll(keepingCapacity: true) }
    }
}

/// How much a cache may hold.
@usableFromInline
struct CacheLimits: Hashable, Sendable {
    /// An eighth of all integers, so that the loads of a policy's parts can be added up and compared.
    @inlinable static var costMax: Int { 1 << 60 }

    @usableFromInline var cost: Int
    /// `Int.max` where the number of entries is free.
    @usableFromInline var count: Int

    @inlinable
    init(cost: Int, count: Int = .max) {
        self.cost = cost
        self.count = count
    }

    /// The limits with no more cost than counts.
    @inlinable
    var bounded: CacheLimits {
        CacheLimits(cost: min(cost, Self.costMax), count: count)
    }

    /// Whether a load is within the limits.
    @inlinable
    func admit(_ load: CacheLoad) -> Bool {
        load.cost <= cost && load.count <= count
    }

    /// A part of the limits; `percent` is 0...100.
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

/// How much a cache, or a part of it, holds.
@usableFromInline
struct CacheLoad: Hashable, Sendable {
    @usableFromInline var cost: Int
    @usableFromInline var count: Int

    @inlinable
    init(cost: Int = 0, count: Int = 0) {
        self.cost = cost
        self.count = count
    }

    /// The load with one more entry.
    func adding(cost added: Int) -> CacheLoad {
        CacheLoad(cost: cost + added, count: count + 1)
    }

    /// The load with one entry less.
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
