import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

/// A manual clock with its scheduled calls.
private final class AgeClock: Sendable {
    private struct Wake: Sendable {
        let due: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }

    private let time = SharedState(ContinuousClock.now)
    private let wakes = SharedState<[Int: Wake]>([:])
    private let lastNumber = SharedState(0)

    var clock: MemoryClock {
        MemoryClock(
            now: { self.time.value },
            wake: { duration, body in
                let number = self.lastNumber.withLock { last in
                    last += 1
                    return last
                }
                let wake = Wake(due: self.time.value + duration, body: body)
                self.wakes.withLock { $0[number] = wake }
                return number
            },
            cancel: { number in self.wakes.withLock { $0[number] = nil } }
        )
    }

    var wakeCount: Int { wakes.value.count }

    /// Advances the clock and runs the calls that are due.
    func advance(by duration: Duration) {
        time.withLock { $0 += duration }
        let now = time.value
        let due = wakes.value.filter { $0.value.due <= now }
        for (number, wake) in due {
            wakes.withLock { $0[number] = nil }
            wake.body()
        }
    }

    /// Advances the clock without running any call.
    func drift(by duration: Duration) { time.withLock { $0 += duration } }
}

@Suite(.blocking) struct MemoryCacheAgeTests {
    private typealias Cache = MemoryCache<String, Print>

    private let time = AgeClock()

    private func cache(
        _ expiry: Expiry = .never,
        costLimit: Int = 1_000,
        policy: EvictionPolicyKind = .default,
        onRemoval: Cache.RemovalHandler? = nil
    ) -> Cache {
        Cache(costLimit: costLimit, expiry: expiry, policy: policy, clock: time.clock, onRemoval: onRemoval)
    }

    @Test func `without an expiry nothing expires, and no timer wakes`() {
        let cache = cache()
        cache.insert(Print(), forKey: "a", cost: 1)
        time.advance(by: .seconds(1 << 40))
        #expect(cache["a"] != nil)
        #expect(time.wakeCount == 0)
        #expect(Cache().expiry == .never, "the default")
    }

    @Test(arguments: EvictionPolicyKind.allCases)
    func `a value is found until its expiry, and not a moment longer`(policy: EvictionPolicyKind) {
        let cache = cache(.afterWrite(.seconds(300)), policy: policy)
        let held = Print()
        cache.insert(held, forKey: "a", cost: 10)
        time.drift(by: .seconds(299))
        #expect(cache["a"] === held)
        time.drift(by: .seconds(1))
        #expect(!cache.contains("a"))
        #expect(cache["a"] == nil, "even if it is referenced")
        #expect(cache.statistics.removalCount(for: .expired) == 1)
        #expect(cache.statistics.cost == 0)
        cache.checkInvariants()
    }

    @Test func `a use prolongs a value that expires after access`() {
        let cache = cache(.afterAccess(.seconds(300)))
        cache.insert(Print(), forKey: "a", cost: 10)
        for _ in 0..<5 {
            time.advance(by: .seconds(200))
            #expect(cache["a"] != nil)
        }
        time.advance(by: .seconds(300))
        #expect(cache["a"] == nil)
    }

    @Test func `a lookup without use does not prolong a value`() {
        let cache = cache(.afterAccess(.seconds(300)))
        cache.insert(Print(), forKey: "a", cost: 10)
        time.drift(by: .seconds(200))
        #expect(cache.contains("a"))
        time.drift(by: .seconds(100))
        #expect(!cache.contains("a"))
    }

    @Test func `an expired value is removed within a second`() {
        let removed = SharedState<[String]>([])
        let cache = cache(.afterWrite(.seconds(10))) { key, _, cause in
            removed.withLock { $0.append("\(key) \(cause)") }
        }
        cache.insert(Print(), forKey: "a", cost: 10)
        time.advance(by: .seconds(5))
        cache.insert(Print(), forKey: "b", cost: 10)
        time.advance(by: .seconds(5))
        #expect(removed.value == ["a expired"])
        #expect(cache.statistics.count == 1)
        time.advance(by: .seconds(5))
        #expect(removed.value == ["a expired", "b expired"])
        time.advance(by: .seconds(60))
        #expect(time.wakeCount == 0, "no needless wake-up")
        cache.checkInvariants()
    }

    @Test func `the expiry of an entry takes precedence over the cache's`() {
        let cache = cache(.afterWrite(.seconds(300)))
        cache.insert(Print(), forKey: "short", cost: 1, expiry: .afterWrite(.seconds(5)))
        cache.insert(Print(), forKey: "usual", cost: 1)
        cache.insert(Print(), forKey: "long", cost: 1, expiry: .never)
        time.advance(by: .seconds(6))
        #expect(cache.statistics.count == 2)
        #expect(!cache.contains("short"))
        time.advance(by: .seconds(300))
        #expect(!cache.contains("usual"))
        #expect(cache["long"] != nil)
        cache.expiry = .afterWrite(.seconds(1))
        cache.insert(Print(), forKey: "new", cost: 1)
        time.advance(by: .seconds(1))
        #expect(!cache.contains("new"))
        #expect(cache["long"] != nil)
    }

    @Test func `replacing a value restarts its age, or drops its expiry`() {
        let cache = cache()
        cache.insert(Print(1), forKey: "a", cost: 1, expiry: .afterWrite(.seconds(5)))
        cache.insert(Print(2), forKey: "a", cost: 1)
        time.advance(by: .seconds(10))
        #expect(cache["a"]?.number == 2)
        cache.checkInvariants()
    }

    @Test func `a revived value has its remaining time`() {
        let cache = cache(.afterWrite(.seconds(100)))
        let held = Print()
        cache.insert(held, forKey: "a", cost: 10)
        time.drift(by: .seconds(60))
        cache.trim(toCost: 0)
        #expect(cache["a"] === held)
        time.drift(by: .seconds(40))
        #expect(cache["a"] == nil)
        cache.insert(held, forKey: "b", cost: 10)
        cache.trim(toCost: 0)
        time.drift(by: .seconds(100))
        #expect(!cache.contains("b"))
        #expect(cache["b"] == nil)
        cache.checkInvariants()
    }

    @Test func `a revived value is removed at its expiry too`() {
        let cache = cache(.afterWrite(.seconds(100)))
        let held = Print()
        cache.insert(held, forKey: "a", cost: 10)
        cache.trim(toCost: 0)
        cache.removeExpired()
        #expect(cache["a"] === held)
        time.advance(by: .seconds(100))
        #expect(cache.statistics.count == 0)
    }

    @Test func `changing the cost does not change the age`() {
        let cache = cache(.afterWrite(.seconds(100)))
        let held = Print()
        cache.insert(held, forKey: "a", cost: 10)
        time.drift(by: .seconds(60))
        cache.updateCost(of: held, forKey: "a", to: 20)
        #expect(cache.statistics.cost == 20)
        time.drift(by: .seconds(40))
        #expect(cache["a"] == nil)
    }

    @Test func `many expired values are removed in portions, and others stay`() {
        let cache = cache(costLimit: 100_000)
        for index in 0..<5_000 {
            let expiry: Expiry = index % 2 == 0 ? .afterWrite(.seconds(10)) : .never
            cache.insert(Print(index), forKey: "\(index)", cost: 1, expiry: expiry)
        }
        time.advance(by: .seconds(10))
        #expect(cache.statistics.count == 2_500)
        #expect(cache["1"] != nil && cache["2"] == nil)
        cache.checkInvariants()
        cache.removeAll()
        cache.insert(Print(), forKey: "1", cost: 1)
        time.advance(by: .seconds(100))
        #expect(cache["1"] != nil)
    }

    @Test func `a deallocated cache is not woken`() {
        do { cache(.afterWrite(.seconds(10))).insert(Print(), forKey: "a", cost: 1) }
        #expect(time.wakeCount == 0)
    }
}
