import CalotypeSupport
import CalotypeTesting
import Glibc
import TestSupport
import Testing

/// Pools on a system that refuses to start threads.
@Suite(.gated) struct RefusedThreadTests {
    /// Provides a number of threads, then none until more are allowed.
    private final class ThreadSource: Sendable {
        private struct State: Sendable {
            var left: Int
            var asked = 0
            var given = 0
        }

        private let state: SharedState<State>

        init(count: Int) {
            state = SharedState(State(left: count))
        }

        var asked: Int { state.value.asked }
        var given: Int { state.value.given }

        func allow(_ count: Int) { state.withLock { $0.left = count } }

        func start(name: String, body: @escaping @Sendable () -> Void) -> Bool {
            let isGiven = state.withLock { state in
                state.asked += 1
                guard state.left > 0 else { return false }
                state.left -= 1
                state.given += 1
                return true
            }
            return isGiven && SystemThread.start(name: name, body: body)
        }
    }

    @Test func `without any thread all work runs in order and returns its results`() async {
        let threads = ThreadSource(count: 0)
        let pool = BlockingPool(width: 1, startThread: threads.start)
        let order = SharedState<[Int]>([])
        for number in 0..<200 { pool.enqueue { order.withLock { $0.append(number) } } }
        #expect(await pool.run { 42 } == 42)
        #expect(order.value == Array(0..<200))
        #expect(threads.given == 0)
    }

    @Test func `without any thread work never runs inside the enqueueing call`() async {
        let pool = BlockingPool(width: 1, startThread: ThreadSource(count: 0).start)
        let isHandingOver = SharedState(false)
        let ranInside = SharedState(false)
        // Inside a work item, where a pool of one thread can run nothing else.
        await pool.run {
            isHandingOver.withLock { $0 = true }
            pool.enqueue { ranInside.withLock { $0 = isHandingOver.value } }
            isHandingOver.withLock { $0 = false }
        }
        await pool.run {}
        #expect(!ranInside.value)
    }

    @Test func `without any thread a chain of self-enqueueing work does not nest`() async {
        let pool = BlockingPool(width: 2, startThread: ThreadSource(count: 0).start)
        let done = AsyncGate()
        @Sendable func step(_ left: Int) {
            guard left > 0 else { return done.open() }
            pool.enqueue { step(left - 1) }
        }
        step(20_000)
        await done.wait()
    }

    @Test func `without any thread one work item runs at a time`() async {
        let pool = BlockingPool(width: 4, startThread: ThreadSource(count: 0).start)
        #expect(await pool.runCounting(200).most == 1)
    }

    @Test func `a thread that becomes available takes over waiting work`() async {
        let threads = ThreadSource(count: 0)
        let pool = BlockingPool(width: 1, name: "late", startThread: threads.start)
        let names = SharedState<[String?]>([])
        pool.enqueue { threads.allow(1) }
        for _ in 0..<10 {
            pool.enqueue { names.withLock { $0.append(SmallFile.text(atPath: "/proc/thread-self/comm")) } }
        }
        await pool.run {}
        #expect(names.value == Array(repeating: "calotype-late\n", count: 10))
        #expect(threads.given == 1)
    }

    @Test func `work waits for the existing thread, and each item requests another`() async {
        let threads = ThreadSource(count: 1)
        let pool = BlockingPool(width: 2, startThread: threads.start)
        let gate = BlockingGate()
        let order = SharedState<[Int]>([])
        pool.enqueue { gate.wait() }
        for number in 0..<3 { pool.enqueue { order.withLock { $0.append(number) } } }
        #expect(threads.asked == 4)
        #expect(order.value.isEmpty)
        threads.allow(1)
        await pool.run {}
        #expect(order.value == [0, 1, 2])
        #expect(threads.given == 2)
        gate.open()
    }

    @Test func `enqueued work runs without any thread even if its pool is released`() async {
        let done = SharedState(0)
        let finished = AsyncGate()
        do {
            let pool = BlockingPool(width: 2, startThread: ThreadSource(count: 0).start)
            for _ in 0..<50 {
                pool.enqueue {
                    let count = done.withLock { count in
                        count += 1
                        return count
                    }
                    if count == 50 { finished.open() }
                }
            }
        }
        await finished.wait()
        #expect(done.value == 50)
    }

    @Test func `an idle thread takes work that waited behind threadless work`() async {
        let threads = ThreadSource(count: 0)
        let pool = BlockingPool(width: 2, keepsThreadForUrgent: true, startThread: threads.start)
        let (urgentEnd, ordinary) = (BlockingGate(), AsyncGate())
        pool.enqueue {
            threads.allow(1)
            pool.enqueue(.urgent) { urgentEnd.open() }
            urgentEnd.wait()
            // May not start yet, and the thread has time to become idle.
            pool.enqueue { ordinary.open() }
            for _ in 0..<1_000 { sched_yield() }
        }
        await ordinary.wait()
    }

    @Test func `threads that start and end between refusals lose no work`() async {
        let threads = ThreadSource(count: 0)
        for round in 0..<50 {
            threads.allow(0)
            let pool = BlockingPool(width: 3, keepsThreadForUrgent: true, startThread: threads.start)
            await withTaskGroup { group in
                for number in 0..<40 {
                    if number == round % 40 { threads.allow(round % 4) }
                    group.addTask { await pool.run(number.isMultiple(of: 3) ? .urgent : .ordinary) {} }
                }
            }
        }
    }
}
