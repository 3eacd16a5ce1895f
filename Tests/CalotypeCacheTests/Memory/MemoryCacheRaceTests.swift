import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

/// Failures are found by the thread sanitizer, or by the invariant check afterwards.
@Suite(.blocking) struct MemoryCacheRaceTests {
    /// With capacity for about 30 entries, and for several hundred, where DUO defers its records of hits.
    @Test(arguments: EvictionPolicyKind.allCases, [500, 5_000])
    func `concurrent tasks get the value of each key, and the cache stays within its limits`(
        policy: EvictionPolicyKind,
        costLimit: Int
    ) async {
        let source = FakeMemoryPressureSource()
        let cache = MemoryCache<Int, Print>(costLimit: costLimit, policy: policy, pressureSource: source)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { Self.use(cache, source, costLimit: costLimit, seed: UInt64(task)) }
            }
        }
        cache.checkInvariants()
        let statistics = cache.statistics
        let left = RemovalCause.allCases.reduce(0) { $0 + statistics.removalCount(for: $1) }
        #expect(statistics.cost <= costLimit)
        #expect(statistics.count + left >= statistics.insertionCount)
    }

    private static func use(
        _ cache: MemoryCache<Int, Print>,
        _ source: FakeMemoryPressureSource,
        costLimit: Int,
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        var held: [Print] = []
        for _ in 0..<2_000 {
            let key = Int.random(in: 0..<costLimit / 10, using: &generator)
            switch Int.random(in: 0..<costLimit, using: &generator) {
            case 0: cache.removeAll()
            case 1: cache.trim(toCost: costLimit / 5)
            case 2: source.raise(.warning)
            case 3: source.raise(.critical)
            case 4: cache.countLimit = Int.random(in: costLimit / 100...costLimit / 5, using: &generator)
            case 5: cache.costLimit = Int.random(in: costLimit / 5...costLimit, using: &generator)
            case 6..<12: cache.removeValue(forKey: key)
            default:
                if let value = cache[key] {
                    #expect(value.number == key)
                    if key.isMultiple(of: 7) { held.append(value) }
                } else {
                    cache.insert(Print(key), forKey: key, cost: 1 + key % 30)
                }
            }
            if held.count > 20 { held.removeAll() }
            let statistics = cache.statistics
            if statistics.cost > costLimit || statistics.count < 0 {
                Issue.record("outside the limits: \(statistics)")
            }
        }
    }
}
