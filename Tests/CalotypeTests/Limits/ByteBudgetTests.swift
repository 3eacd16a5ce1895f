import CalotypeTesting
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct ByteBudgetTests {
    private let budget = ByteBudget(ByteLedger.Terms(maxByteCount: 100))

    /// Requests a lease above the budget and returns once it waits.
    private func waiting(
        _ byteCount: Int,
        _ priority: LoadPriority = .normal,
        _ order: SharedState<[Int]>? = nil
    ) async -> Task<ByteBudget.Lease, any Error> {
        let count = budget.waitingCount
        let task = Task { [budget] in
            let lease = try await budget.lease(byteCount, LivePriority(priority))
            order?.withLock { $0.append(byteCount) }
            return lease
        }
        while budget.waitingCount == count { await Task.yield() }
        return task
    }

    @Test func `a lease that fits is granted at once and released with its last reference`() async throws {
        do {
            let lease = try await budget.lease(60, LivePriority())
            #expect(budget.heldByteCount == 60)
            try await lease.grow(to: 100)
            try await lease.grow(to: 80)
            #expect(budget.heldByteCount == 100, "what is held is never taken for less")
            withExtendedLifetime(lease) {}
        }
        #expect(budget.heldByteCount == 0)
    }

    @Test func `leases above the budget are granted by priority, then by age`() async throws {
        let order = SharedState<[Int]>([])
        let first = try await budget.lease(100, LivePriority())
        let tasks = [
            await waiting(10, .low, order), await waiting(96, .high, order), await waiting(97, .high, order),
        ]
        first.end()
        for task in [tasks[1], tasks[2], tasks[0]] { try await task.value.end() }
        #expect(order.value == [96, 97, 10])
        #expect(budget.heldByteCount == 0)
    }

    @Test func `raising the priority of a waiting claim moves it ahead`() async throws {
        let order = SharedState<[Int]>([])
        let first = try await budget.lease(100, LivePriority())
        let live = LivePriority(.low)
        let raised = Task { [budget] in
            let lease = try await budget.lease(91, live)
            order.withLock { $0.append(91) }
            lease.end()
        }
        while budget.waitingCount == 0 { await Task.yield() }
        let other = await waiting(92, .normal, order)
        live.value = .highest
        first.end()
        _ = try await (raised.value, other.value)
        #expect(order.value == [91, 92])
    }

    @Test func `a claim that is raised ahead of the first one is granted at once if it fits`() async throws {
        let first = try await budget.lease(60, LivePriority())
        let large = await waiting(50)
        let live = LivePriority(.low)
        let isHeld = SharedState(false)
        let small = Task { [budget] in
            let lease = try await budget.lease(30, live)
            isHeld.withLock { $0 = true }
            return lease
        }
        while budget.waitingCount < 2 { await Task.yield() }
        live.value = .highest
        #expect(await AdmissionBench.eventually { isHeld.value }, "it waits behind a claim of less priority")
        first.end()
        try await small.value.end()
        try await large.value.end()
    }

    @Test func `a claim above the whole budget is granted when no other lease is held`() async throws {
        let first = try await budget.lease(1, LivePriority())
        let large = await waiting(1_000)
        first.end()
        let lease = try await large.value
        #expect(budget.heldByteCount == 1_000)
        lease.end()
    }

    @Test func `the oldest lease that grows may exceed the budget`() async throws {
        let idle = try await budget.lease(40, LivePriority())
        let (old, young) = (
            try await budget.lease(30, LivePriority()), try await budget.lease(30, LivePriority())
        )
        // The one that has held bytes for longest does not count: it may wait for its origin forever.
        try await old.grow(to: 500)
        #expect(budget.heldByteCount == 570)
        // Its bytes do not count against the others.
        try await young.grow(to: 60)
        let growing = Task { try await young.grow(to: 61) }
        while budget.waitingCount == 0 { await Task.yield() }
        try await old.grow(to: 600)
        old.end()
        try await growing.value
        #expect(budget.heldByteCount == 101)
        young.end()
        idle.end()
    }

    @Test func `a load that exceeds its origin's share does not delay other origins`() async throws {
        let budget = ByteBudget(ByteLedger.Terms(maxByteCount: 100, maxOriginByteCount: 50))
        let first = try await budget.lease(50, of: "a", LivePriority())
        let second = Task { try await budget.lease(1, of: "a", LivePriority()) }
        while budget.waitingCount == 0 { await Task.yield() }
        let other = try await budget.lease(50, of: "b", LivePriority())
        #expect(budget.heldByteCount == 100)
        first.end()
        try await second.value.end()
        other.end()
        #expect((budget.heldByteCount, budget.waitingCount) == (0, 0))
    }

    @Test func `origins that fill their shares leave budget for another origin`() async throws {
        let budget = ByteBudget(ByteLedger.Terms(maxByteCount: 1_000, maxOriginByteCount: 500))
        var leases: [ByteBudget.Lease] = []
        for number in 0..<4 {
            leases.append(try await budget.lease(1, of: "slow\(number)", LivePriority()))
        }
        let tasks = leases.map { lease in Task { for count in 2...600 { try await lease.grow(to: count) } } }
        // Two of them exceed the budget, and the others hold a half and a quarter of it.
        while budget.waitingCount < 2 { await Task.yield() }
        let healthy = try await budget.lease(100, of: "well", LivePriority())
        #expect(budget.heldByteCount <= 1_000 + 2 * 600)
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        for lease in leases + [healthy] { lease.end() }
        #expect((budget.heldByteCount, budget.waitingCount) == (0, 0))
    }

    @Test func `a claim above its origin's share is granted and takes no budget from others`() async throws {
        let budget = ByteBudget(ByteLedger.Terms(maxByteCount: 100, maxOriginByteCount: 50))
        let large = try await budget.lease(1_000, of: "a", LivePriority())
        #expect(budget.leaseAtOnce(900, of: "b") != nil)
        let other = try await budget.lease(50, of: "c", LivePriority())
        #expect(budget.heldByteCount == 1_050)
        large.end()
        other.end()
        #expect(budget.heldByteCount == 0)
    }

    @Test func `two origins may exceed the budget at once, each with one load`() async throws {
        let origins = ["a", "b", "c"]
        var leases: [ByteBudget.Lease] = []
        for origin in origins { leases.append(try await budget.lease(33, of: origin, LivePriority())) }
        try await leases[0].grow(to: 200)
        try await leases[1].grow(to: 200)
        let third = Task { [lease = leases[2]] in try await lease.grow(to: 200) }
        while budget.waitingCount == 0 { await Task.yield() }
        #expect(budget.heldByteCount == 433)
        leases[0].end()
        try await third.value
        for lease in leases { lease.end() }
        #expect(budget.heldByteCount == 0)
    }

    @Test func `small claims have a reserve and do not starve a large one`() async throws {
        let terms = ByteLedger.Terms(maxByteCount: 100, maxSmallByteCount: 5, smallReserve: 20)
        let budget = ByteBudget(terms)
        let large = try await budget.lease(80, LivePriority())
        let waiting = Task { try await budget.lease(90, LivePriority()) }
        while budget.waitingCount == 0 { await Task.yield() }
        var small: [ByteBudget.Lease] = []
        for _ in 0..<4 { small.append(try await budget.lease(5, LivePriority())) }
        let fifth = Task { try await budget.lease(5, LivePriority()) }
        while budget.waitingCount < 2 { await Task.yield() }
        large.end()
        // It exceeds the share of large claims: it is granted alone, beside the small ones.
        let served = try await waiting.value
        #expect(budget.heldByteCount == 110)
        for lease in small { lease.end() }
        try await fifth.value.end()
        served.end()
        #expect((budget.heldByteCount, budget.waitingCount) == (0, 0))
    }

    @Test func `cancelling a waiting claim lets the claims behind it proceed`() async throws {
        let first = try await budget.lease(90, LivePriority())
        let large = await waiting(50)
        let small = Task { [budget] in try await budget.lease(10, LivePriority()) }
        while budget.waitingCount < 2 { await Task.yield() }
        large.cancel()
        await #expect(throws: CancellationError.self) { try await large.value }
        try await small.value.end()
        #expect(budget.waitingCount == 0)
        first.end()
    }

    @Test func `a lease at once is nil if it would have to wait`() async throws {
        let first = budget.leaseAtOnce(100)
        #expect(first != nil)
        #expect(budget.leaseAtOnce(1) == nil)
        first?.end()
        #expect(budget.leaseAtOnce(1_000) != nil)
        #expect(budget.heldByteCount == 0)
        let second = try await budget.lease(90, LivePriority())
        let large = await waiting(50)
        #expect(budget.leaseAtOnce(1) == nil, "nobody goes ahead of those who wait")
        second.end()
        try await large.value.end()
    }

    @Test func `concurrent claims stay within the budget and release all of it`() async throws {
        let held = SharedState((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask { [budget] in
                    let task = Task {
                        let lease = try await budget.lease(number % 40, LivePriority())
                        held.withLock { $0 = ($0.now + number % 40, max($0.most, $0.now + number % 40)) }
                        await Task.yield()
                        held.withLock { $0.now -= number % 40 }
                        lease.end()
                    }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
            try await group.waitForAll()
        }
        #expect(held.value.most <= 100)
        #expect((budget.heldByteCount, budget.waitingCount) == (0, 0))
    }

    @Test(arguments: [9, 6], [1 << 18, 3 << 20])
    func `later claims of an origin do not precede its large one`(large: Int, maxSmallByteCount: Int)
        async throws
    {
        let mebibyte = 1 << 20
        let terms = ByteLedger.Terms(
            maxByteCount: 16 * mebibyte,
            maxOriginByteCount: 8 * mebibyte,
            maxSmallByteCount: maxSmallByteCount,
            smallReserve: 4 * mebibyte
        )
        let budget = ByteBudget(terms)
        let order = SharedState<[Int]>([])
        func claim(_ byteCount: Int, _ priority: LoadPriority) -> Task<Void, any Error> {
            Task {
                let lease = try await budget.lease(byteCount, of: "bucket", LivePriority(priority))
                order.withLock { $0.append(byteCount) }
                lease.end()
            }
        }
        let first = try await budget.lease(3 * mebibyte, of: "bucket", LivePriority(.lowest))
        let waiting = claim(large * mebibyte, .highest)
        while budget.waitingCount < 1 { await Task.yield() }
        let later = claim(3 * mebibyte, .lowest)
        while budget.waitingCount < 2, order.value.isEmpty { await Task.yield() }
        first.end()
        for task in [waiting, later] { try await task.value }
        #expect(order.value == [large * mebibyte, 3 * mebibyte])
        #expect(budget.heldByteCount == 0)
    }

}
