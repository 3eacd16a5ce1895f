import CalotypeSupport
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

/// A value with identity.
final class Print: Sendable {
    let number: Int

    init(_ number: Int = 0) {
        self.number = number
    }
}

@Suite(.blocking) struct MemoryCacheTests {
    typealias Cache = MemoryCache<String, Print>

    @Test func `an inserted value is found until it is removed`() {
        let cache = Cache(costLimit: 100)
        let print = Print()
        #expect(cache.insert(print, forKey: "a", cost: 10) == .stored(evictedCount: 0))
        #expect(cache["a"] === print)
        #expect(cache["b"] == nil)
        #expect(cache.contains("a") && !cache.contains("b"))
        #expect(cache.removeValue(forKey: "a") === print)
        #expect(cache["a"] == nil)
        #expect(cache.removeValue(forKey: "a") == nil)
        cache.checkInvariants()
    }

    @Test func `the cost limit holds and evictions are counted`() {
        let cache = Cache(costLimit: 100, policy: .lru)
        for index in 0..<10 { cache.insert(Print(index), forKey: "\(index)", cost: 10) }
        #expect(cache.insert(Print(10), forKey: "10", cost: 25) == .stored(evictedCount: 3))
        let statistics = cache.statistics
        #expect(statistics.cost == 95)
        #expect(statistics.count == 8)
        #expect(statistics.removalCount(for: .costLimit) == 3)
        #expect(statistics.evictionCount == 3)
        #expect(!cache.contains("0") && !cache.contains("2") && cache.contains("3"))
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `the count limit holds and its removals are counted by cause`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 1_000, countLimit: 5, policy: policy)
        for index in 0..<20 { cache.insert(Print(index), forKey: "\(index)", cost: 1) }
        #expect(cache.statistics.count == 5)
        #expect(cache.statistics.removalCount(for: .countLimit) == 15)
        #expect(cache.statistics.removalCount(for: .costLimit) == 0)
        cache.checkInvariants()
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `lowered limits evict at once`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 100, policy: policy)
        for index in 0..<10 { cache.insert(Print(index), forKey: "\(index)", cost: 10) }
        cache.costLimit = 55
        #expect(cache.statistics.cost == 50)
        cache.checkInvariants()
        cache.countLimit = 2
        #expect(cache.statistics.count == 2)
        #expect(cache.statistics.removalCount(for: .countLimit) == 3)
        #expect(cache.costLimit == 55 && cache.countLimit == 2)
        cache.countLimit = nil
        #expect(cache.countLimit == nil)
        cache.checkInvariants()
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `a value over the limit is rejected before anything is evicted`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 100, policy: policy)
        cache.insert(Print(), forKey: "a", cost: 60)
        cache.insert(Print(), forKey: "b", cost: 40)
        #expect(cache.insert(Print(), forKey: "c", cost: 101) == .refused)
        #expect(cache.contains("a") && cache.contains("b") && !cache.contains("c"))
        #expect(cache.statistics.refusalCount == 1)
        #expect(cache.statistics.evictionCount == 0)
        cache.checkInvariants()
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `a rejected value removes the older one of its key`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 100, policy: policy)
        cache.insert(Print(), forKey: "a", cost: 60)
        #expect(cache.insert(Print(), forKey: "a", cost: 101) == .refused)
        #expect(cache["a"] == nil)
        #expect(cache.statistics.removalCount(for: .replaced) == 1)
        #expect(cache.statistics.cost == 0 && cache.statistics.count == 0)
        cache.checkInvariants()
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `a value over the entry limit is rejected, and others stay`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 100, policy: policy)
        #expect(cache.entryCostLimit == nil)
        cache.insert(Print(), forKey: "a", cost: 20)
        cache.entryCostLimit = 10
        #expect(cache.contains("a"), "held entries stay")
        #expect(cache.insert(Print(), forKey: "b", cost: 11) == .refused)
        #expect(cache.insert(Print(), forKey: "c", cost: 10) == .stored(evictedCount: 0))
        #expect(cache.contains("a") && !cache.contains("b") && cache.contains("c"))
        cache.entryCostLimit = nil
        #expect(cache.insert(Print(), forKey: "b", cost: 11) == .stored(evictedCount: 0))
        cache.checkInvariants()
    }

    @Test func `a limit of zero stores nothing`() {
        #expect(Cache(costLimit: 0).insert(Print(), forKey: "a", cost: 0) == .refused)
        #expect(Cache(costLimit: 10, countLimit: 0).insert(Print(), forKey: "a", cost: 1) == .refused)
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `costs and limits near the greatest integer do not overflow`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: .max, policy: policy)
        #expect(cache.insert(Print(), forKey: "a", cost: .max) == .refused)
        for index in 0..<20 { cache.insert(Print(index), forKey: "\(index)", cost: .max / 9) }
        #expect(cache.statistics.count == 1 && cache.statistics.cost == .max / 9)
        #expect(cache.costLimit == .max)
        cache.costLimit = .max - 1
        cache.insert(Print(), forKey: "b", cost: 1)
        #expect(cache.contains("b"))
        cache.checkInvariants()
    }

    @Test func `a cost of zero counts as one so that entries are bounded`() {
        let cache = Cache(costLimit: 3)
        for index in 0..<10 { cache.insert(Print(), forKey: "\(index)", cost: 0) }
        #expect(cache.statistics.count == 3)
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `replacing a value subtracts its own cost`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 100, policy: policy)
        cache.insert(Print(1), forKey: "a", cost: 10)
        let second = Print(2)
        #expect(cache.insert(second, forKey: "a", cost: 90) == .stored(evictedCount: 0))
        #expect(cache["a"] === second)
        #expect(cache.statistics.cost == 90 && cache.statistics.count == 1)
        cache.checkInvariants()
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `trimming reaches its target without changing the limits`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 100, policy: policy)
        for index in 0..<10 { cache.insert(Print(index), forKey: "\(index)", cost: 10) }
        cache.trim(toCost: 35)
        #expect(cache.statistics.cost == 30)
        #expect(cache.statistics.removalCount(for: .trim) == 7)
        cache.checkInvariants()
        cache.trim(toCost: 0)
        #expect(cache.statistics.cost == 0 && cache.statistics.count == 0)
        #expect(cache.costLimit == 100)
        cache.checkInvariants()
    }

    @Test func `each lookup counts once, and contains does not count`() {
        let cache = Cache(costLimit: 100)
        cache.insert(Print(), forKey: "a", cost: 1)
        _ = cache["a"]
        _ = cache["a"]
        _ = cache["b"]
        _ = cache.contains("a")
        _ = cache.contains("b")
        #expect(cache.statistics.hitCount == 2)
        #expect(cache.statistics.missCount == 1)
        #expect(cache.statistics.insertionCount == 1)
    }

    @Test func `contains does not count as a use`() {
        let cache = Cache(costLimit: 20, policy: .lru)
        cache.insert(Print(), forKey: "a", cost: 10)
        cache.insert(Print(), forKey: "b", cost: 10)
        _ = cache.contains("a")
        cache.insert(Print(), forKey: "c", cost: 10)
        #expect(!cache.contains("a") && cache.contains("b"))
    }

    @Test func `the defaults have the documented values`() {
        let cache = Cache()
        #expect(cache.costLimit == MemoryCapacity.defaultCostLimit)
        #expect(cache.costLimit <= 768 << 20 && cache.costLimit > 1 << 20)
        #expect(cache.countLimit == nil)
        #expect(EvictionPolicyKind.default == .duo)
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `trimming to a count retains that many without changing the limits`(policy: EvictionPolicyKind) {
        let cache = Cache(costLimit: 1_000, policy: policy)
        for index in 0..<20 { cache.insert(Print(index), forKey: "\(index)", cost: 10) }
        cache.trim(toCount: 7)
        #expect(cache.statistics.count == 7)
        #expect(cache.statistics.removalCount(for: .trim) == 13)
        #expect(cache.countLimit == nil && cache.costLimit == 1_000)
        cache.trim(toCount: 7)
        #expect(cache.statistics.count == 7)
        cache.trim(toCount: 0)
        #expect(cache.statistics.count == 0)
        cache.checkInvariants()
    }
}
