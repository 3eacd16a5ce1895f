import CalotypeSupport
import CalotypeTesting
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct StoreQueriesTests {
    private let gate = AsyncGate()

    /// A read that hangs until the gate opens and ignores cancellation.
    private func hang(_ reads: StoreQueries, _ askedCount: SharedState<Int>) -> Task<Void, any Error> {
        Task { [gate] in
            try await reads.answer {
                askedCount.withLock { $0 += 1 }
                await Task { await gate.wait() }.value
            }
        }
    }

    @Test func `hanging reads of cancelled callers do not block a new read`() async throws {
        let (reads, askedCount) = (StoreQueries(atMost: .seconds(86_400)), SharedState(0))
        let tasks = (0..<200).map { _ in hang(reads, askedCount) }
        while askedCount.value < 200 { await Task.yield() }
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await reads.answer { 1 } == 1)
        gate.open()
    }

    @Test func `a store that blocks when it is cancelled delays no other time limit`() async throws {
        let reads = StoreQueries(atMost: .milliseconds(1))
        let (cancelled, released) = (AsyncGate(), BlockingGate())
        let late = Task { [gate] in
            try await reads.answer {
                await withTaskCancellationHandler {
                    await gate.wait()
                } onCancel: {
                    cancelled.open()
                    released.wait()
                }
            }
        }
        await cancelled.wait()
        let alarm = AsyncGate()
        _ = Alarms.shared.set(after: .milliseconds(1)) { alarm.open() }
        await alarm.wait()
        released.open()
        gate.open()
        await #expect(throws: StoreSlowError.self) { try await late.value }
    }

    @Test func `no store is read while many slow reads are unfinished`() async throws {
        let (reads, askedCount) = (StoreQueries(atMost: .milliseconds(1)), SharedState(0))
        var lateCount = 0
        // Only later reads are refused at once.
        for _ in 0..<80 {
            await #expect(throws: StoreSlowError.self) { try await hang(reads, askedCount).value }
            lateCount += 1
        }
        #expect((lateCount, askedCount.value) == (80, 64))
        gate.open()
        var answer: Int?
        while answer == nil {
            do { answer = try await reads.answer { 1 } } catch is StoreSlowError { await Task.yield() }
        }
        #expect(answer == 1)
    }
}
