import CalotypeSupport
import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct SharedWorkTests {
    private struct Refusal: Error, Equatable {}

    /// Progress that records whether it has a listener.
    private final class Audience: WorkProgress {
        let isThere = SharedState(false)

        func end() {}
    }

    @Test func `many callers share one run and get the same value`() async throws {
        let work = SharedWork<String, Int, NoProgress>()
        let runs = SharedState(0)
        let gate = AsyncGate()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    try await work.value(for: "k") { _ in
                        runs.withLock { $0 += 1 }
                        await gate.wait()
                        return .value(42)
                    }
                }
            }
            while work.waiterCount < 1_000 { await Task.yield() }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 42, count: 1_000))
        #expect(runs.value == 1)
        await work.untilIdle()
    }

    @Test func `a caller between the delivery and the end gets the value at once`() async throws {
        let work = SharedWork<String, Int, NoProgress>()
        let gate = AsyncGate()
        let first = try await work.value(for: "k") { context in
            context.deliver(1, later: 1)
            await gate.wait()
            return .delivered
        }
        let second = try await work.value(for: "k") { _ in
            Issue.record("the work started again")
            return .value(2)
        }
        gate.open()
        #expect((first, second) == (1, 1))
        await work.untilIdle()
    }

    @Test func `a call after a value was returned starts new work`() async throws {
        let work = SharedWork<String, Int, NoProgress>()
        for round in 0..<500 {
            #expect(try await work.value(for: "k") { _ in .value(round) } == round)
        }
        await work.untilIdle()
    }

    // The first progress of a load was sometimes reported before it had a listener.
    @Test func `the caller that starts the work has its progress before the work begins`() async throws {
        let work = SharedWork<String, Bool, Audience>()
        for _ in 0..<20 {
            let listen: @Sendable (Audience) -> Void = { audience in
                // Gives work that had already started time to go ahead.
                for _ in 0..<1_000 { sched_yield() }
                audience.isThere.withLock { $0 = true }
            }
            let isHeard = try await work.value(for: "k", onJoin: listen) { .value($0.progress.isThere.value) }
            #expect(isHeard)
        }
        await work.untilIdle()
    }

    @Test func `a failure reaches every caller`() async {
        let work = SharedWork<String, Int, NoProgress>()
        let gate = AsyncGate()
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await work.value(for: "k") { _ in
                            await gate.wait()
                            throw Refusal()
                        }
                        return false
                    } catch {
                        return error is Refusal
                    }
                }
            }
            group.addTask {
                gate.open()
                return true
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 51)
    }

    @Test func `cancelling one caller does not affect another`() async throws {
        let work = SharedWork<String, Int, NoProgress>()
        let (started, gate) = (AsyncGate(), AsyncGate())
        let operation: SharedWork<String, Int, NoProgress>.Operation = { _ in
            started.open()
            await gate.wait()
            try Task.checkCancellation()
            return .value(1)
        }
        let kept = Task { try await work.value(for: "k", startedBy: operation) }
        await started.wait()
        let cancelled = Task { try await work.value(for: "k", startedBy: operation) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        gate.open()
        #expect(try await kept.value == 1)
    }

    @Test func `cancelling the last caller cancels the work`() async {
        let work = SharedWork<String, Int, NoProgress>()
        let (started, wasCancelled) = (AsyncGate(), AsyncGate())
        let only = Task {
            try await work.value(for: "k") { _ in
                await withTaskCancellationHandler {
                    started.open()
                    await wasCancelled.wait()
                } onCancel: {
                    wasCancelled.open()
                }
                throw CancellationError()
            }
        }
        await started.wait()
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        await wasCancelled.wait()
        await work.untilIdle()
    }

    @Test func `a caller cancelled before its call starts no work`() async {
        let work = SharedWork<String, Int, NoProgress>()
        let gate = AsyncGate()
        let task = Task {
            await gate.wait()
            return try await work.value(for: "k") { _ in
                Issue.record("the work started")
                return .value(1)
            }
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        await work.untilIdle()
    }

    @Test func `every caller ends exactly once under random cancellation`() async {
        let work = SharedWork<Int, Int, NoProgress>()
        var generator = SeededGenerator(seed: 7)
        let plan = (0..<2_000).map { _ in
            (key: Int.random(in: 0..<20, using: &generator), cancels: Bool.random(using: &generator))
        }
        let ended = await withTaskGroup(of: Int.self) { group in
            for step in plan {
                group.addTask {
                    let task = Task {
                        try await work.value(for: step.key) { context in
                            await Task.yield()
                            try Task.checkCancellation()
                            if step.key == 3 { throw Refusal() }
                            if step.key % 2 == 0 { return .value(step.key) }
                            context.deliver(step.key, later: step.key)
                            await Task.yield()
                            return .delivered
                        }
                    }
                    if step.cancels { task.cancel() }
                    switch await task.result {
                    case .success(let value): #expect(value == step.key)
                    case .failure(let error): #expect(error is CancellationError || step.key == 3)
                    }
                    return 1
                }
            }
            return await group.reduce(0, +)
        }
        #expect(ended == 2_000)
        await work.untilIdle()
    }
}
