import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct LRUPolicyTests {
    @Test(arguments: 1...12) func `LRU agrees with its naive twin`(seed: UInt64) {
        var twins = PolicyTwins(
            LRUPolicy.self,
            NaiveLRU.self,
            limits: CacheLimits(cost: 100, count: seed.isMultiple(of: 2) ? .max : 12),
            slotCount: 40,
            maxCost: 20,
            seed: seed
        )
        twins.run(stepCount: 1_500)
    }

    @Test func `the coldest entry is evicted first`() {
        var policy = LRUPolicy(limits: CacheLimits(cost: 30))
        var log = EvictionLog()
        for slot in 0..<3 { _ = policy.insert(slot, cost: 10, &log) }
        _ = policy.hit(0)
        _ = policy.insert(3, cost: 20, &log)
        #expect(log.evicted == [1, 2])
        #expect(policy.holds(0) && policy.holds(3))
    }
}

/// Least recently used as one array, the coldest first.
struct NaiveLRU: EvictionPolicy {
    var limits: CacheLimits
    private var entries: [(slot: Slot, cost: Int)] = []

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var load: CacheLoad { CacheLoad(cost: entries.reduce(0) { $0 + $1.cost }, count: entries.count) }

    func holds(_ slot: Slot) -> Bool { entries.contains { $0.slot == slot } }

    mutating func hit(_ slot: Slot) -> Bool {
        guard let index = entries.firstIndex(where: { $0.slot == slot }) else { return false }
        entries.append(entries.remove(at: index))
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        remove(slot)
        while load.cost + cost > limits.cost || load.count + 1 > limits.count { _ = evict(&log) }
        entries.append((slot, cost))
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        guard let coldest = entries.first?.slot else { return false }
        remove(coldest)
        log.evicted.append(coldest)
        log.letGo.append(coldest)
        return true
    }

    mutating func remove(_ slot: Slot) { entries.removeAll { $0.slot == slot } }

    func checkInvariants() {}
}
