import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct CLOCKPolicyTests {
    @Test(arguments: 1...12) func `CLOCK agrees with its naive twin`(seed: UInt64) {
        var twins = PolicyTwins(
            CLOCKPolicy.self,
            NaiveCLOCK.self,
            limits: CacheLimits(cost: 100, count: seed.isMultiple(of: 2) ? .max : 12),
            slotCount: 40,
            maxCost: 20,
            seed: seed
        )
        twins.run(stepCount: 1_500)
    }

    @Test func `a read entry is passed over once`() {
        var policy = CLOCKPolicy(limits: CacheLimits(cost: 3))
        var log = EvictionLog()
        for slot in 0..<3 { _ = policy.insert(slot, cost: 1, &log) }
        _ = policy.hit(0)
        _ = policy.insert(3, cost: 1, &log)
        _ = policy.insert(4, cost: 1, &log)
        #expect(log.evicted == [1, 2])
        _ = policy.insert(5, cost: 1, &log)
        #expect(log.evicted == [1, 2, 0])
    }
}

/// Second chance as one array with a mark per entry.
struct NaiveCLOCK: EvictionPolicy {
    var limits: CacheLimits
    private var entries: [(slot: Slot, cost: Int, isVisited: Bool)] = []

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var load: CacheLoad { CacheLoad(cost: entries.reduce(0) { $0 + $1.cost }, count: entries.count) }

    func holds(_ slot: Slot) -> Bool { entries.contains { $0.slot == slot } }

    mutating func hit(_ slot: Slot) -> Bool {
        for index in entries.indices where entries[index].slot == slot { entries[index].isVisited = true }
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        remove(slot)
        while load.cost + cost > limits.cost || load.count + 1 > limits.count { _ = evict(&log) }
        entries.append((slot, cost, false))
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        while !entries.isEmpty {
            var entry = entries.removeFirst()
            if !entry.isVisited {
                log.evicted.append(entry.slot)
                log.letGo.append(entry.slot)
                return true
            }
            entry.isVisited = false
            entries.append(entry)
        }
        return false
    }

    mutating func remove(_ slot: Slot) { entries.removeAll { $0.slot == slot } }

    func checkInvariants() {}
}
