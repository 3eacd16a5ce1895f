import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct LazyLRUPolicyTests {
    @Test(arguments: 1...12) func `lazy LRU agrees with its naive twin`(seed: UInt64) {
        var twins = PolicyTwins(
            LazyLRUPolicy.self,
            NaiveLazyLRU.self,
            limits: CacheLimits(cost: 100, count: seed.isMultiple(of: 2) ? .max : 12),
            slotCount: 40,
            maxCost: 20,
            seed: seed
        )
        twins.run(stepCount: 1_500)
    }

    /// With fewer than 256 slots every use is an epoch, and lazy LRU is exact up to an age of 1024 uses.
    @Test func `with an epoch per use lazy LRU equals LRU`() {
        var twins = PolicyTwins(
            LazyLRUPolicy.self,
            NaiveLRU.self,
            limits: CacheLimits(cost: 100),
            slotCount: 20,
            maxCost: 30,
            seed: 7
        )
        twins.run(stepCount: 1_500)
    }
}

/// One array of entries with their epoch and order of insertion.
struct NaiveLazyLRU: EvictionPolicy {
    private struct Entry {
        let slot: Slot
        let cost: Int
        var used: Int
        var placed: Int
        var order: Int
    }

    var limits: CacheLimits
    private var entries: [Entry] = []
    private var now = 0
    private var uses = 0
    private var order = 0

    init(limits: CacheLimits) {
        self.limits = limits
    }

    private var oldest: Int { max(0, now - 1022) }

    var load: CacheLoad { CacheLoad(cost: entries.reduce(0) { $0 + $1.cost }, count: entries.count) }

    func holds(_ slot: Slot) -> Bool { entries.contains { $0.slot == slot } }

    private mutating func use() {
        uses += 1
        guard uses >= max(1, load.count / 128) else { return }
        uses = 0
        now += 1
    }

    mutating func hit(_ slot: Slot) -> Bool {
        use()
        for index in entries.indices where entries[index].slot == slot { entries[index].used = now }
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        remove(slot)
        while load.cost + cost > limits.cost || load.count + 1 > limits.count { _ = evict(&log) }
        use()
        order += 1
        entries.append(Entry(slot: slot, cost: cost, used: now, placed: now, order: order))
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        while let index = entries.indices.min(by: {
            (entries[$0].placed, entries[$0].order) < (entries[$1].placed, entries[$1].order)
        }) {
            let entry = entries[index]
            if entry.used <= max(entry.placed, oldest) {
                entries.remove(at: index)
                log.evicted.append(entry.slot)
                log.letGo.append(entry.slot)
                return true
            }
            order += 1
            entries[index].placed = max(entry.used, oldest)
            entries[index].order = order
        }
        return false
    }

    mutating func remove(_ slot: Slot) { entries.removeAll { $0.slot == slot } }

    func checkInvariants() {}
}
