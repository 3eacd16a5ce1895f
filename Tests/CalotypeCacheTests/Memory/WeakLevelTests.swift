import CalotypeSupport
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct WeakLevelTests {
    typealias Cache = MemoryCache<String, Print>

    private func cache(costLimit: Int = 20, keepsEvictedWeakly: Bool = true) -> Cache {
        Cache(costLimit: costLimit, policy: .lru, keepsEvictedWeakly: keepsEvictedWeakly, pressureSource: nil)
    }

    @Test func `an evicted value that is still referenced is found and restored with its cost`() {
        let cache = cache()
        let held = Print(1)
        cache.insert(held, forKey: "a", cost: 15)
        cache.insert(Print(2), forKey: "b", cost: 20)
        #expect(cache.statistics.count == 1)
        #expect(cache.contains("a"))
        #expect(cache["a"] === held)
        let statistics = cache.statistics
        #expect(statistics.weakRevivalCount == 1 && statistics.hitCount == 0 && statistics.missCount == 0)
        #expect(statistics.cost == 15 && statistics.count == 1)
        #expect(statistics.removalCount(for: .costLimit) == 2)
        #expect(cache["a"] === held && cache.statistics.hitCount == 1)
        #expect(cache["b"] == nil, "it was not referenced")
        cache.checkInvariants()
    }

    @Test func `an evicted value is found even if only the removal handler references it`() {
        let kept = Guarded<[Print]>([])
        let cache = Cache(costLimit: 20, policy: .lru, pressureSource: nil) { _, value, _ in
            kept.withLock { $0.append(value) }
        }
        cache.insert(Print(1), forKey: "a", cost: 15)
        cache.trim(toCost: 0)
        #expect(cache["a"]?.number == 1)
        kept.withLock { $0 = [] }
    }

    @Test func `without the weak level an evicted value is gone`() {
        let cache = cache(keepsEvictedWeakly: false)
        let held = Print(1)
        cache.insert(held, forKey: "a", cost: 15)
        cache.trim(toCost: 0)
        #expect(cache["a"] == nil && !cache.contains("a"))
        withExtendedLifetime(held) {}
    }

    @Test func `removing by key and removing all clear both levels`() {
        let cache = cache()
        let held = [Print(0), Print(1), Print(2)]
        for (index, value) in held.enumerated() { cache.insert(value, forKey: "\(index)", cost: 5) }
        cache.trim(toCost: 0)
        #expect(cache.removeValue(forKey: "0") === held[0], "a value that is only watched is returned too")
        #expect(cache["0"] == nil)
        cache.removeAll()
        #expect(cache["1"] == nil && cache["2"] == nil)
        withExtendedLifetime(held) {}
    }

    @Test func `a new value hides the evicted one`() {
        let cache = cache()
        let (first, second) = (Print(1), Print(2))
        cache.insert(first, forKey: "a", cost: 5)
        cache.trim(toCost: 0)
        cache.insert(second, forKey: "a", cost: 5)
        #expect(cache["a"] === second)
        cache.removeValue(forKey: "a")
        #expect(cache["a"] == nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a replaced value is not found again`() {
        let cache = cache()
        let first = Print(1)
        cache.insert(first, forKey: "a", cost: 5)
        cache.insert(Print(2), forKey: "a", cost: 21)
        #expect(cache["a"] == nil)
        withExtendedLifetime(first) {}
    }

    @Test func `a rejected value is found while referenced and does not count against the limits`() {
        let cache = cache()
        let large = Print(1)
        #expect(cache.insert(large, forKey: "a", cost: 21) == .refused)
        #expect(cache["a"] === large)
        #expect(cache["a"] === large)
        #expect(cache.statistics.weakRevivalCount == 2)
        #expect(cache.statistics.cost == 0 && cache.statistics.evictionCount == 0)
    }

    @Test func `references to deallocated values do not accumulate`() {
        var level = WeakLevel<Int, Print>()
        var departures = MemoryCacheRemovals<Int, Print>()
        let held = (0..<100).map(Print.init)
        for value in held { level.insert(value, forKey: value.number, cost: 1, departures: &departures) }
        for key in 100..<10_000 {
            level.insert(Print(key), forKey: key, cost: 1, departures: &departures)
            #expect(level.count <= 256)
        }
        for value in held { #expect(level.value(forKey: value.number)?.value === value) }
    }

    @Test func `references to deallocated values are removed without new insertions`() {
        var level = WeakLevel<Int, Print>()
        var departures = MemoryCacheRemovals<Int, Print>()
        for key in 0..<2_000 { level.watch(Print(key), &departures) }
        // Contains a value that was read before it was deallocated.
        departures = MemoryCacheRemovals<Int, Print>()
        for _ in 0..<2_000 { level.remove(-1, departures: &departures) }
        #expect(level.count == 0)
    }

    @Test func `a change visits a small part of the watched values`() {
        var level = WeakLevel<Int, Print>()
        let held = (0..<20_000).map(Print.init)
        var departures = MemoryCacheRemovals<Int, Print>()
        for value in held { level.watch(value, &departures) }
        for _ in 0..<1_000 {
            var departures = MemoryCacheRemovals<Int, Print>()
            level.remove(-1, departures: &departures)
            #expect(departures.values.others.count < 400, "a table of 256")
        }
        #expect(level.count == held.count)
    }
}

extension WeakLevel<Int, Print> {
    fileprivate mutating func watch(_ value: Print, _ departures: inout Departures) {
        insert(value, forKey: value.number, cost: 1, departures: &departures)
    }
}
