import CalotypeSupport
import CalotypeTesting
import TestTraits
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
    func `a warning lets go of half of what is held`(policy: EvictionPolicyKind) {
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
    func `critical pressure lets go of everything but finds what is held elsewhere`(
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

    @Test func `a cache that is gone is not called and holds no place at the source`() {
        let source = FakeMemoryPressureSource()
        var cache: Cache? = filledCache(source)
        #expect(source.subscriberCount == 1)
        weak let watched = cache
        cache = nil
        #expect(watched == nil)
        #expect(source.subscriberCount == 0)
        source.raise(.critical)
    }

    @Test func `a subscription ends once and when it is released`() {
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

@Suite(.blocking) struct MemoryPressureSignalTests {
    @Test func `a trigger is written as the kernel reads it`() {
        #expect(StallTrigger.warning.text == "some 150000 2000000")
        #expect(StallTrigger.critical.text == "full 200000 2000000")
    }

    @Test func `the counters of a group are read whatever else is in the file`() {
        let text = "low 3\nhigh 12\nmax 4\noom 1\noom_kill 1\nodd line here\nmax x\n"
        let events = CgroupMemoryEvents(parsing: text)
        #expect(events.high == 12 && events.max == 4 && events.oom == 1)
        #expect(CgroupMemoryEvents(parsing: "") == CgroupMemoryEvents())
    }

    @Test func `what grew decides how urgent it is`() {
        let old = CgroupMemoryEvents(parsing: "high 1\nmax 1\noom 1")
        func pressure(_ text: String) -> MemoryPressure? {
            CgroupMemoryEvents(parsing: text).pressure(since: old)
        }
        #expect(pressure("high 1\nmax 1\noom 1\nlow 7") == nil)
        #expect(pressure("high 2\nmax 1\noom 1") == .warning)
        #expect(pressure("high 2\nmax 2\noom 1") == .critical)
        #expect(pressure("high 1\nmax 1\noom 2") == .critical)
    }

    @Test(.enabled(if: StallSignal.isOffered, "the kernel offers no stall triggers to this process"))
    func `the real source takes a trigger and its thread ends with the last subscriber`() throws {
        let source = SystemMemoryPressureSource()
        let first = source.subscribe { _ in }
        let second = source.subscribe { _ in }
        #expect(source.isMonitoring)
        first.cancel()
        #expect(source.isMonitoring)
        second.cancel()
        #expect(!source.isMonitoring)
        let again = source.subscribe { _ in }
        #expect(source.isMonitoring)
        withExtendedLifetime(again) {}
    }

    @Test func `a source without signals has no thread`() {
        let source = SystemMemoryPressureSource(makeSignals: { [] })
        let subscription = source.subscribe { _ in }
        #expect(!source.isMonitoring)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a trigger on what is no pressure file is refused`() {
        let folder = StallSignal(path: "/", trigger: .warning, pressure: .warning)
        #expect(folder == nil)
        #expect(StallSignal(path: "/nonexistent/pressure", trigger: .warning, pressure: .warning) == nil)
        #expect(CgroupSignal(path: "/nonexistent/memory.events") == nil)
    }
}

extension StallSignal {
    fileprivate static var isOffered: Bool {
        StallSignal(path: "/proc/pressure/memory", trigger: .warning, pressure: .warning) != nil
    }
}
