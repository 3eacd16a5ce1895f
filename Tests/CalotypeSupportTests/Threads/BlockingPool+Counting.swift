import CalotypeTesting

@testable import CalotypeSupport

extension BlockingPool {
    /// Runs many short work items; returns how many ran at the end, at most at once, and in all.
    func runCounting(_ count: Int) async -> (now: Int, most: Int, total: Int) {
        let running = SharedState((now: 0, most: 0, total: 0))
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await self.run {
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
        return running.value
    }

    /// Runs two work items that end only if both run at the same time.
    func runTwoThatWaitForEachOther() async {
        let gates = (BlockingGate(), BlockingGate())
        async let first: Void = run {
            gates.0.open()
            gates.1.wait()
        }
        async let second: Void = run {
            gates.0.wait()
            gates.1.open()
        }
        _ = await (first, second)
    }
}
