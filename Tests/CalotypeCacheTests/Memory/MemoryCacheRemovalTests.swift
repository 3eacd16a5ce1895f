import CalotypeSupport
import TestSupport
import Testing

@testable import CalotypeCache

/// The calls of a removal handler, in order.
private final class Heard: Sendable {
    private let events = Guarded<[String]>([])

    var all: [String] { events.withLock { $0 } }

    func append(_ event: String) {
        events.withLock { $0.append(event) }
    }
}

@Suite(.blocking) struct MemoryCacheRemovalTests {
    typealias Cache = MemoryCache<String, Print>

    @Test func `the handler is called for each removal once with its cause`() {
        let heard = Heard()
        let cache = Cache(costLimit: 30, policy: .lru) { key, value, cause in
            heard.append("\(key)\(value.number) \(cause)")
        }
        for index in 0..<4 { cache.insert(Print(index), forKey: "k\(index)", cost: 10) }
        cache.insert(Print(9), forKey: "k3", cost: 5)
        cache.removeValue(forKey: "k1")
        cache.trim(toCost: 5)
        cache.costLimit = 0
        cache.insert(Print(7), forKey: "k7", cost: 5)
        #expect(heard.all == ["k00 costLimit", "k33 replaced", "k11 removed", "k22 trim", "k39 costLimit"])
    }

    @Test func `a predicate removes entries, also evicted ones that are still referenced`() {
        let cache = Cache(costLimit: 30, policy: .lru)
        let held = (0..<6).map { Print($0) }
        for (index, print) in held.enumerated() { cache.insert(print, forKey: "k\(index)", cost: 10) }
        cache.removeAll { $0 == "k0" || $0 == "k5" }
        withExtendedLifetime(held) {
            #expect((0..<6).map { cache.contains("k\($0)") } == [false, true, true, true, true, false])
        }
        cache.checkInvariants()
    }

    @Test func `removing all calls the handler for each entry`() {
        let heard = Heard()
        let cache = Cache(costLimit: 30) { key, _, cause in heard.append("\(key) \(cause)") }
        cache.insert(Print(), forKey: "a", cost: 10)
        cache.insert(Print(), forKey: "b", cost: 10)
        cache.removeAll()
        #expect(heard.all.sorted() == ["a removed", "b removed"])
        #expect(cache.statistics.count == 0 && cache.statistics.cost == 0)
        cache.checkInvariants()
    }

    @Test func `the handler may use the cache`() {
        let cache = Guarded<Cache?>(nil)
        let inner = Cache(costLimit: 10, policy: .lru) { key, _, _ in
            let outer = cache.withLock { $0 }
            outer?.removeValue(forKey: key)
            outer?.trim(toCost: 10)
        }
        cache.withLock { $0 = inner }
        inner.insert(Print(), forKey: "a", cost: 10)
        inner.insert(Print(), forKey: "b", cost: 10)
        #expect(inner.contains("b") && !inner.contains("a"))
        cache.withLock { $0 = nil }
    }

    /// Calls the cache when it is released.
    private final class Meddler: Sendable {
        let onDeinit: @Sendable () -> Void

        init(onDeinit: @escaping @Sendable () -> Void) {
            self.onDeinit = onDeinit
        }

        deinit {
            onDeinit()
        }
    }

    /// With a non-recursive lock, a release under it would deadlock.
    @Test(arguments: EvictionPolicyKind.allCases)
    func `a value that uses the cache when it is released does not deadlock`(policy: EvictionPolicyKind) {
        let cache = MemoryCache<Int, Meddler>(costLimit: 20, policy: policy)
        let released = Guarded(0)
        let make: @Sendable () -> Meddler = { [weak cache] in
            Meddler { [weak cache] in
                _ = cache?.statistics
                released.withLock { $0 += 1 }
            }
        }
        for key in 0..<100 { cache.insert(make(), forKey: key, cost: 5) }
        #expect(released.withLock { $0 } == 96)
        cache.insert(make(), forKey: 99, cost: 5)
        cache.insert(make(), forKey: 98, cost: 5)
        cache.insert(make(), forKey: 98, cost: 50)
        cache.trim(toCost: 6)
        cache.countLimit = 0
        #expect(released.withLock { $0 } == 103)
        cache.countLimit = nil
        cache.insert(make(), forKey: 1, cost: 5)
        cache.removeAll()
        #expect(released.withLock { $0 } == 104)
    }
}
