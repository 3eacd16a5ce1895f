import CalotypeSupport
import CalotypeTesting
import Glibc
import TestSupport
import Testing

@Suite(.gated) struct BlockingPoolTests {
    private struct Refusal: Error, Equatable {}

    @Test func `run returns the result of its work`() async {
        let pool = BlockingPool(width: 2)
        #expect(await pool.run { 42 } == 42)
    }

    @Test func `run throws the typed error of its work`() async {
        let pool = BlockingPool(width: 1)
        await #expect(throws: Refusal()) {
            try await pool.run { () throws(Refusal) -> Int in throw Refusal() }
        }
    }

    @Test func `concurrency does not exceed the width, and all work runs`() async {
        let pool = BlockingPool(width: 3)
        let (now, most, total) = await pool.runCounting(500)
        #expect(now == 0)
        #expect(most <= 3)
        #expect(total == 500)
    }

    @Test func `a pool of one thread runs work in order`() async {
        let pool = BlockingPool(width: 1)
        let order = SharedState<[Int]>([])
        for number in 0..<200 {
            pool.enqueue { order.withLock { $0.append(number) } }
        }
        await pool.run {}
        #expect(order.value == Array(0..<200))
    }

    @Test func `two interdependent work items both run in a pool of two`() async {
        let pool = BlockingPool(width: 2)
        await pool.runTwoThatWaitForEachOther()
    }

    @Test func `enqueued work runs even if its pool is released`() async {
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

    @Test func `urgent work precedes ordinary work that has not started`() async {
        let pool = BlockingPool(width: 1)
        let order = SharedState<[String]>([])
        let gate = BlockingGate()
        pool.enqueue { gate.wait() }
        for name in ["first", "second"] { pool.enqueue { order.withLock { $0.append(name) } } }
        for name in ["urgent", "more urgent"] {
            pool.enqueue(.urgent) { order.withLock { $0.append(name) } }
        }
        gate.open()
        await pool.run {}
        #expect(order.value == ["urgent", "more urgent", "first", "second"])
    }

    @Test func `ordinary work does not use the thread reserved for urgent work`() async {
        let pool = BlockingPool(width: 3, keepsThreadForUrgent: true)
        let gate = BlockingGate()
        let running = SharedState((now: 0, most: 0))
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await pool.run {
                        running.withLock { state in
                            state.now += 1
                            state.most = max(state.most, state.now)
                        }
                        gate.wait()
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
            for number in 0..<100 { #expect(await pool.run(.urgent) { number } == number) }
            gate.open()
        }
        #expect(running.value.most <= 2)
    }

    @Test func `a pool of one reserved thread still runs ordinary work`() async {
        let pool = BlockingPool(width: 1, keepsThreadForUrgent: true)
        #expect(await pool.run { 1 } == 1)
    }

    @Test func `a thread has the name of its pool`() async {
        let pool = BlockingPool(width: 1, name: "testing")
        let name = await pool.run { SmallFile.text(atPath: "/proc/thread-self/comm") }
        #expect(name == "calotype-testin\n")
    }

    @Test func `a thread receives only signals raised by its own instructions`() async {
        let blocked = Set(await BlockingPool(width: 1).run { blockedSignals() })
        let raised = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT]
        #expect(blocked.isSuperset(of: [SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM, SIGPIPE]))
        #expect(blocked.isDisjoint(with: raised))
    }

    @Test func `starting a thread preserves the signal mask of the caller`() {
        let before = blockedSignals()
        BlockingPool(width: 1).enqueue {}
        #expect(blockedSignals() == before)
    }
}

/// The signals blocked by the calling thread.
private func blockedSignals() -> [Int32] {
    var signals = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &signals)
    return (1...31).filter { sigismember(&signals, $0) == 1 }
}
