import CalotypeSupport
import CalotypeTesting
import TestSupport
import Testing

/// Stoppable work; a gate simulates a library that does not check for the stop.
@Suite(.gated) struct StoppingTests {
    private struct Stopped: Error, Equatable {
        let reason: WorkStop.Reason
    }

    private static let day = Duration.seconds(86_400)

    private func run<Value: Sendable>(
        _ pool: BlockingPool,
        atMost duration: Duration = day,
        kind: String = "a",
        _ work: @escaping @Sendable () throws(Stopped) -> Value
    ) async throws(Stopped) -> Value {
        try await pool.run(atMost: duration, kind: { kind }, failure: { Stopped(reason: $0) }, work)
    }

    /// Holds a thread of the pool beyond its time, and returns when it has been replaced.
    private func hold(_ pool: BlockingPool, _ gate: BlockingGate, kind: String = "a") async {
        await #expect(throws: Stopped(reason: .timedOut)) {
            try await run(pool, atMost: .milliseconds(1), kind: kind) { () throws(Stopped) in gate.wait() }
        }
    }

    @Test func `work that ends in time returns its result or throws its error`() async throws {
        let pool = BlockingPool(width: 1)
        #expect(try await run(pool) { 42 } == 42)
        await #expect(throws: Stopped(reason: .refused)) {
            try await run(pool) { () throws(Stopped) -> Int in throw Stopped(reason: .refused) }
        }
        #expect(try await run(pool, atMost: .seconds(Int64.max)) { 1 } == 1)
    }

    @Test func `cancelling releases the caller while the work runs on with a stop reason`() async throws {
        let pool = BlockingPool(width: 1)
        let (reached, release, ended) = (AsyncGate(), BlockingGate(), AsyncGate())
        let reason = SharedState<WorkStop.Reason?>(nil)
        let task = Task {
            try await run(pool) { () throws(Stopped) in
                reached.open()
                release.wait()
                reason.withLock { $0 = WorkStop.currentReason }
                ended.open()
            }
        }
        await reached.wait()
        task.cancel()
        await #expect(throws: Stopped(reason: .cancelled)) { try await task.value }
        release.open()
        await ended.wait()
        #expect(reason.value == .cancelled)
        #expect(pool.stuckCount == 0)
    }

    @Test func `the stop reason of one work item does not reach the next`() async throws {
        let pool = BlockingPool(width: 1)
        let task = Task { try await run(pool) { while WorkStop.currentReason == nil {} } }
        task.cancel()
        _ = await task.result
        #expect(await pool.run { WorkStop.currentReason } == nil)
        #expect(try await run(pool) { WorkStop.currentReason } == nil)
    }

    @Test func `work cancelled before its turn never starts`() async throws {
        let pool = BlockingPool(width: 1)
        let gate = BlockingGate()
        let hasRun = SharedState(false)
        pool.enqueue { gate.wait() }
        let waiting = Task { try await run(pool) { hasRun.withLock { $0 = true } } }
        waiting.cancel()
        await #expect(throws: Stopped(reason: .cancelled)) { try await waiting.value }
        gate.open()
        await pool.run {}
        #expect(!hasRun.value)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min / 2)])
    func `work with an elapsed deadline does not start`(_ duration: Duration) async {
        let pool = BlockingPool(width: 1)
        let hasRun = SharedState(false)
        await #expect(throws: Stopped(reason: .timedOut)) {
            try await run(pool, atMost: duration) { hasRun.withLock { $0 = true } }
        }
        await pool.run {}
        #expect(!hasRun.value)
        #expect(pool.stuckCount == 0)
    }

    @Test func `work beyond its time releases its caller, and its thread is replaced until it ends`()
        async throws
    {
        let pool = BlockingPool(width: 1)
        let gate = BlockingGate()
        await hold(pool, gate)
        #expect(pool.stuckCount == 1)
        #expect(await pool.run { 1 } == 1)
        gate.open()
        while pool.stuckCount > 0 { await Task.yield() }
        #expect(try await run(pool) { 2 } == 2)
    }

    @Test func `a pool retains its width after held threads return`() async throws {
        let pool = BlockingPool(width: 2)
        for _ in 0..<20 {
            let gate = BlockingGate()
            await hold(pool, gate)
            gate.open()
            while pool.stuckCount > 0 { await Task.yield() }
        }
        await pool.runTwoThatWaitForEachOther()
        #expect(await pool.runCounting(200).most <= 2)
    }

    @Test func `ordinary work continues if all of its threads were held`() async {
        let pool = BlockingPool(width: 2, keepsThreadForUrgent: true)
        let gate = BlockingGate()
        await hold(pool, gate)
        #expect(await pool.run { 1 } == 1)
        gate.open()
    }

    @Test func `an idle thread takes work that waited for the permit of a held thread`() async {
        let pool = BlockingPool(width: 3, keepsThreadForUrgent: true)
        let (gate, urgentEnd, ordinary) = (BlockingGate(), BlockingGate(), AsyncGate())
        // Two ordinary work items hold all ordinary permits; a third thread is idle.
        pool.enqueue { gate.wait() }
        await #expect(throws: Stopped(reason: .timedOut)) {
            try await run(pool, atMost: .milliseconds(50)) { () throws(Stopped) in
                pool.enqueue(.urgent) { urgentEnd.open() }
                urgentEnd.wait()
                pool.enqueue { ordinary.open() }
                gate.wait()
            }
        }
        await ordinary.wait()
        gate.open()
    }

    @Test func `with too many held threads work of their kind is refused until one ends`() async throws {
        let pool = BlockingPool(width: 1)
        let gates = (0..<pool.maxStuckCount).map { _ in BlockingGate() }
        for gate in gates { await hold(pool, gate) }
        #expect(pool.stuckCount == pool.maxStuckCount)
        await #expect(throws: Stopped(reason: .refused)) { try await run(pool) { 1 } }
        #expect(try await run(pool, kind: "b") { 2 } == 2)
        gates[0].open()
        while pool.stuckCount == pool.maxStuckCount { await Task.yield() }
        #expect(try await run(pool) { 3 } == 3)
        for gate in gates { gate.open() }
    }

    @Test func `every call ends once under any cancellation and timeout`() async {
        let pool = BlockingPool(width: 4)
        let outcomes = SharedState(0)
        await withTaskGroup { group in
            for number in 0..<2_000 {
                group.addTask {
                    let duration = number % 3 == 0 ? Duration.microseconds(number % 50) : Self.day
                    let work = Task {
                        try await run(pool, atMost: duration, kind: "\(number)") {
                            for _ in 0..<number % 100 where WorkStop.currentReason != nil { return }
                        }
                    }
                    if number.isMultiple(of: 2) { work.cancel() }
                    _ = await work.result
                    outcomes.withLock { $0 += 1 }
                }
            }
        }
        #expect(outcomes.value == 2_000)
        while pool.stuckCount > 0 { await Task.yield() }
        #expect(await pool.run { 1 } == 1)
    }
}

@Suite(.gated) struct AlarmsTests {
    @Test func `an alarm fires, even if it is set after a later one`() async {
        let alarms = Alarms()
        let rung = AsyncGate()
        let late = alarms.set(after: .seconds(86_400)) {}
        _ = alarms.set(after: .milliseconds(1)) { rung.open() }
        await rung.wait()
        alarms.cancel(late)
    }

    /// Alarms whose first thread start is refused.
    private func alarmsWithoutThread() -> Alarms {
        let refusals = SharedState(1)
        return Alarms { name, body in
            let isRefused = refusals.withLock { count in
                defer { count -= 1 }
                return count > 0
            }
            return !isRefused && SystemThread.start(name: name, body: body)
        }
    }

    @Test func `a cancelled alarm does not fire`() async {
        // It cannot fire before it is cancelled.
        let alarms = alarmsWithoutThread()
        let isRung = SharedState(false)
        let later = AsyncGate()
        alarms.cancel(alarms.set(after: .milliseconds(1)) { isRung.withLock { $0 = true } })
        _ = alarms.set(after: .milliseconds(2)) { later.open() }
        await later.wait()
        #expect(!isRung.value)
    }

    @Test func `an extended alarm does not fire, and is queried once per extension`() async {
        let alarms = Alarms()
        let (isRung, questions) = (SharedState(false), SharedState(0))
        let (asked, later) = (AsyncGate(), AsyncGate())
        let number = alarms.set(
            after: .milliseconds(1),
            extending: {
                questions.withLock { $0 += 1 }
                asked.open()
                return .seconds(86_400)
            }
        ) { isRung.withLock { $0 = true } }
        await asked.wait()
        _ = alarms.set(after: .milliseconds(1)) { later.open() }
        await later.wait()
        #expect(!isRung.value && questions.value == 1)
        alarms.cancel(number)
    }

    @Test func `extra time is granted once, to the work of the thread alone`() {
        let (stop, other) = (WorkStop(), WorkStop())
        WorkStop.grant(.seconds(1))
        stop.governing { WorkStop.grant(.milliseconds(1_500)) }
        #expect(stop.takeGrant() == .milliseconds(1_500))
        #expect(stop.takeGrant() == .zero && other.takeGrant() == .zero)
        stop.governing { WorkStop.grant(.seconds(Int64.max)) }
        #expect(stop.takeGrant() == .seconds(86_400))
    }

    @Test func `alarms fire once the system provides a thread`() async {
        let alarms = alarmsWithoutThread()
        let rung = AsyncGate()
        _ = alarms.set(after: .milliseconds(1)) { rung.open() }
        _ = alarms.set(after: .milliseconds(1)) {}
        await rung.wait()
    }

    @Test func `nested work has the deadline of the outer work`() {
        let outer = WorkStop()
        outer.stop(.cancelled)
        let reason = outer.governing { WorkStop.limiting(to: .seconds(1)) { WorkStop.currentReason } }
        #expect(reason == .cancelled)
        #expect(WorkStop.currentReason == nil)
        #expect(WorkStop.limiting(to: .zero) { WorkStop.currentReason } == .timedOut)
    }

    @Test func `parts of unlimited work have their own deadlines, and end with it`() throws {
        let (outer, day) = (WorkStop(), Duration.seconds(86_400))
        let reasons = try outer.governingTimeless {
            [
                WorkStop.limiting(to: .zero) { WorkStop.currentReason }, WorkStop.currentReason,
                WorkStop.limiting(to: day) {
                    WorkStop.limiting(to: .zero) { WorkStop.currentReason }
                },
                WorkStop.limiting(to: day) {
                    outer.stop(.cancelled)
                    return WorkStop.currentReason
                },
                WorkStop.limiting(to: day) { WorkStop.currentReason },
            ]
        }
        #expect(reasons == [.timedOut, nil, nil, .cancelled, .cancelled])
    }
}
