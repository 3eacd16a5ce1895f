import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct S3FIFOPolicyTests {
    @Test(arguments: 1...12) func `S3-FIFO agrees with its naive twin`(seed: UInt64) {
        var twins = PolicyTwins(
            S3FIFOPolicy.self,
            NaiveS3FIFO.self,
            limits: CacheLimits(cost: 200, count: seed.isMultiple(of: 2) ? .max : 15),
            slotCount: 60,
            maxCost: seed.isMultiple(of: 3) ? 60 : 20,
            seed: seed
        )
        twins.run(stepCount: 1_500)
    }

    @Test func `an entry seen once is evicted before a read one`() {
        var policy = S3FIFOPolicy(limits: CacheLimits(cost: 10))
        var log = EvictionLog()
        for slot in 0..<10 { _ = policy.insert(slot, cost: 1, &log) }
        _ = policy.hit(0)
        for slot in 10..<100 { _ = policy.insert(slot, cost: 1, &log) }
        #expect(policy.holds(0))
        #expect(!log.evicted.contains(0))
    }

    @Test func `an entry that returns while known outlives new ones`() {
        var policy = S3FIFOPolicy(limits: CacheLimits(cost: 10))
        var log = EvictionLog()
        for slot in 0..<11 { _ = policy.insert(slot, cost: 1, &log) }
        #expect(log.evicted == [0] && policy.knows(0))
        _ = policy.insert(0, cost: 1, &log)
        for slot in 11..<19 { _ = policy.insert(slot, cost: 1, &log) }
        #expect(policy.holds(0) && !policy.holds(2))
    }

    @Test func `an entry larger than the small queue is admitted if it fits or on its return`() {
        var policy = S3FIFOPolicy(limits: CacheLimits(cost: 100))
        var log = EvictionLog()
        #expect(policy.insert(0, cost: 40, &log))
        #expect(policy.insert(1, cost: 60, &log))
        #expect(!policy.insert(2, cost: 30, &log))
        #expect(log.isEmpty && policy.knows(2) && !policy.holds(2))
        #expect(policy.insert(2, cost: 30, &log))
        #expect(log.evicted == [0])
    }

    @Test func `small entries have more credit than large ones`() {
        var policy = S3FIFOPolicy(limits: CacheLimits(cost: 1_000))
        var log = EvictionLog()
        for slot in 0..<9 { _ = policy.insert(slot, cost: 100, &log) }
        _ = policy.insert(9, cost: 10, &log)
        for slot in 10..<200 { _ = policy.insert(slot, cost: 100, &log) }
        #expect(policy.holds(9), "a tenth of the mean has a credit of 4, which moves it to main unread")
        #expect(!policy.holds(8))
    }
}

/// The three queues as arrays of entries, as in the published description.
struct NaiveS3FIFO: EvictionPolicy {
    private struct Entry {
        let slot: Slot
        let cost: Int
        var grant = 1
        var left = 0
    }

    var limits: CacheLimits
    private var small: [Entry] = []
    private var main: [Entry] = []
    private var ghost: [Entry] = []

    init(limits: CacheLimits) {
        self.limits = limits
    }

    private static func cost(_ entries: [Entry]) -> Int { entries.reduce(0) { $0 + $1.cost } }

    private func isOver(_ entries: [Entry], percent: Int) -> Bool {
        Self.cost(entries) > limits.cost * percent / 100
            || limits.count != .max && entries.count > limits.count * percent / 100
    }

    var load: CacheLoad { CacheLoad(cost: Self.cost(small + main), count: small.count + main.count) }

    func holds(_ slot: Slot) -> Bool { (small + main).contains { $0.slot == slot } }

    func knows(_ slot: Slot) -> Bool { (small + main + ghost).contains { $0.slot == slot } }

    mutating func hit(_ slot: Slot) -> Bool {
        for index in small.indices where small[index].slot == slot { small[index].left = small[index].grant }
        for index in main.indices where main[index].slot == slot { main[index].left = main[index].grant }
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        let isKnown = knows(slot)
        remove(slot)
        var entry = Entry(slot: slot, cost: cost)
        let hasRoom = load.cost + cost <= limits.cost && load.count + 1 <= limits.count
        if !isKnown, !hasRoom, isOver([entry], percent: 20) {
            ghost.append(entry)
            settle(&log)
            return false
        }
        if load.count > 0 {
            var limit = cost * 2
            while entry.grant < 6, limit <= load.cost / load.count {
                entry.grant += 1
                limit *= 2
            }
        }
        while load.cost + cost > limits.cost || load.count + 1 > limits.count { _ = evict(&log) }
        if isKnown { main.append(entry) } else { small.append(entry) }
        settle(&log)
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        guard !small.isEmpty || !main.isEmpty else { return false }
        if isOver(main, percent: 80) || small.isEmpty { evictMain(&log) } else { evictSmall(&log) }
        return true
    }

    private mutating func evictMain(_ log: inout EvictionLog) {
        while !main.isEmpty {
            var entry = main.removeFirst()
            if entry.left == 0 {
                log.evicted.append(entry.slot)
                log.letGo.append(entry.slot)
                return
            }
            entry.left -= 1
            main.append(entry)
        }
    }

    private mutating func evictSmall(_ log: inout EvictionLog) {
        while !small.isEmpty {
            var entry = small.removeFirst()
            if entry.left == 0, entry.grant < 3 {
                log.evicted.append(entry.slot)
                ghost.append(entry)
                settle(&log)
                return
            }
            entry.left = max(0, entry.left - 1)
            main.append(entry)
            while isOver(main, percent: 80), main.count > 1 { evictMain(&log) }
        }
    }

    mutating func settle(_ log: inout EvictionLog) {
        while isOver(ghost, percent: 80) || ghost.count > max(1024, 4 * load.count) {
            log.letGo.append(ghost.removeFirst().slot)
        }
    }

    mutating func remove(_ slot: Slot) {
        small.removeAll { $0.slot == slot }
        main.removeAll { $0.slot == slot }
        ghost.removeAll { $0.slot == slot }
    }

    func checkInvariants() {}
}
