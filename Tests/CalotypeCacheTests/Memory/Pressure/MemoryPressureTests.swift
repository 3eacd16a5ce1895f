import CalotypeSupport
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct MemoryPressureTests {
    typealias Cache = MemoryCache<Int, Print>

    private func filledCache(_ source: FakeMemoryPressureSource, policy: EvictionPolicyKind = .default)
        -> Cache
    {
        let cache = Cache(costLimit: 100, policy: policy, pressureSource: source)
        for key in 0..<10 { cache.insert(Print(key), forKey: key, cost: 8) }
        return cache
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `a warning releases half of the cost`(policy: EvictionPolicyKind) {
        let source = FakeMemoryPressureSource()
        let cache = filledCache(source, policy: policy)
        source.raise(.warning)
        #expect(cache.statistics.cost == 40)
        #expect(cache.statistics.removalCount(for: .memoryPressure) == 5)
        #expect(cache.costLimit == 100)
        cache.checkInvariants()
        source.raise(.warning)
        #expect(cache.statistics.cost == 16)
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `repeated warnings leave a sixteenth of the limit`(policy: EvictionPolicyKind) {
        let source = FakeMemoryPressureSource()
        let cache = Cache(costLimit: 160, policy: policy, pressureSource: source)
        for key in 0..<160 { cache.insert(Print(key), forKey: key, cost: 1) }
        for _ in 0..<20 { source.raise(.warning) }
        #expect(cache.statistics.cost == 10)
        source.raise(.critical)
        #expect(cache.statistics.cost == 0)
    }

    @Test func `an unlimited cache has no floor`() {
        let source = FakeMemoryPressureSource()
        let cache = Cache(costLimit: .max, pressureSource: source)
        for key in 0..<64 { cache.insert(Print(key), forKey: key, cost: 1) }
        for _ in 0..<20 { source.raise(.warning) }
        #expect(cache.statistics.cost == 0)
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `critical pressure releases everything, and referenced values are still found`(
        policy: EvictionPolicyKind
    ) {
        let source = FakeMemoryPressureSource()
        let cache = filledCache(source, policy: policy)
        let held = cache[3]
        source.raise(.critical)
        #expect(cache.statistics.count == 0 && cache.statistics.cost == 0)
        #expect(cache.statistics.removalCount(for: .memoryPressure) == 10)
        #expect(cache[3] === held && held != nil)
        #expect(cache[4] == nil)
        cache.checkInvariants()
        cache.insert(Print(4), forKey: 4, cost: 50)
        #expect(cache.contains(4))
        cache.checkInvariants()
    }

    @Test func `a deallocated cache is neither called nor subscribed`() {
        let source = FakeMemoryPressureSource()
        var cache: Cache? = filledCache(source)
        #expect(source.subscriberCount == 1)
        weak let watched = cache
        cache = nil
        #expect(watched == nil)
        #expect(source.subscriberCount == 0)
        source.raise(.critical)
    }

    @Test func `a subscription ends once, on cancellation or release`() {
        let source = FakeMemoryPressureSource()
        let heard = Guarded<[MemoryPressure]>([])
        let first = source.subscribe { pressure in heard.withLock { $0.append(pressure) } }
        source.raise(.warning)
        first.cancel()
        first.cancel()
        source.raise(.critical)
        #expect(heard.withLock { $0 } == [.warning])
        #expect(source.subscriberCount == 0)
    }
}
