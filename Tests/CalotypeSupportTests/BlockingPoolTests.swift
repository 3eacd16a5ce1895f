import CalotypeSupport
import CalotypeTesting
import Testing

@Suite struct BlockingPoolTests {
    private struct Refusal: Error, Equatable {}

    @Test func `work gives back what it returns`() async {
        let pool = BlockingPool(width: 2)
        #expect(await pool.run { 42 } == 42)
    }

    @Test func `work gives back what it throws, typed`() async {
        let pool = BlockingPool(width: 1)
        await #expect(throws: Refusal()) {
            try await pool.run { () throws(Refusal) -> Int in throw Refusal() }
        }
    }

    @Test func `at most width pieces of work run at once, and all of them run`() async {
        let pool = BlockingPool(width: 3)
        let running = SharedState((now: 0, most: 0, total: 0))
        await withTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    await pool.run {
                        running.withLock { state in
                            state.now += 1
                            state.total += 1
                            state.most = max(state.most, state.now)
                        }
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        let (now, most, total) = running.value
        #expect(now == 0)
        #expect(most <= 3)
        #expect(total == 500)
    }

    @Test func `a pool of one thread runs work in the order it came`() async {
        let pool = BlockingPool(width: 1)
        let order = SharedState<[Int]>([])
        for number in 0..<200 {
            pool.enqueue { order.withLock { $0.append(number) } }
        }
        await pool.run {}
        #expect(order.value == Array(0..<200))
    }

    @Test func `two pieces of work that need each other both run in a pool of two`() async {
        let pool = BlockingPool(width: 2)
        let gates = (BlockingGate(), BlockingGate())
        async let first: Void = pool.run {
            gates.0.open()
            gates.1.wait()
        }
        async let second: Void = pool.run {
            gates.0.wait()
            gates.1.open()
        }
        _ = await (first, second)
    }

    @Test func `work that was handed over runs even when its pool is released`() async {
        let done = SharedState(0)
        let finished = AsyncGate()
        do {
            let pool = BlockingPool(width: 2)
            for _ in 0..<50 {
                pool.enqueue {
                    if done.withLock({
                        $0 += 1; return $0
                    }) == 50 {
                        finished.open()
                    }
                }
            }
        }
        await finished.wait()
        #expect(done.value == 50)
    }
}
