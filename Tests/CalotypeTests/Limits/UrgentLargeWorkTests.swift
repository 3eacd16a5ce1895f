import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Large work, which needs two permits at once.
@Suite(.gated) struct UrgentLargeWorkTests {
    private static func configuration() -> ImagePipeline.Configuration {
        var configuration = AdmissionBench.configuration(
            FakeImageDecoder(),
            ScriptedDataLoader(fakeImages(1, 1))
        )
        configuration.workGate = AdmissionGate(maxCount: 2, maxWaitingCount: 100)
        configuration.maxWorkByteCount = 1_600
        return configuration
    }

    @Test func `an urgent drawing does not wait behind a less urgent one that waits for a permit`()
        async throws
    {
        // Two permits, one of them for large work.
        let gate = try #require(ProcessingGate(Self.configuration()))
        let order = SharedState<[LoadPriority]>([])
        func enter(_ priority: LoadPriority, isDrawing: Bool = false) async throws -> Making {
            try await gate.enter(LivePriority(priority), isDrawing: isDrawing) {
                WorkSize(byteCount: 10, isLarge: isDrawing)
            }
        }
        func begin(_ priority: LoadPriority, isDrawing: Bool = false) -> Task<Void, any Error> {
            Task {
                let making = try await enter(priority, isDrawing: isDrawing)
                order.withLock { $0.append(priority) }
                making.end()
            }
        }
        let small = [try await enter(.normal), try await enter(.normal)]
        var tasks = [begin(.low, isDrawing: true)]
        while gate.workload(decodeCount: 0).waitingCount < 1 { await Task.yield() }
        tasks.append(begin(.high, isDrawing: true))
        while gate.workload(decodeCount: 0).waitingCount < 2 { await Task.yield() }
        for _ in 0..<5 { tasks.append(begin(.normal)) }
        while gate.workload(decodeCount: 0).waitingCount < 7 { await Task.yield() }
        small[0].end()
        for task in tasks { try await task.value }
        #expect(order.value.first == .high, "\(order.value)")
        small[1].end()
    }

    @Test func `an urgent large step does not wait behind a less urgent one that waits for a thread`()
        async throws
    {
        // Two threads, one of them for large work.
        let limits = StageLimits(Self.configuration())
        let order = SharedState<[LoadPriority]>([])
        func begin(_ priority: LoadPriority, isLarge: Bool = false) -> Task<Void, any Error> {
            Task {
                let turn = try await limits.codecTurn(LivePriority(priority), isLarge: isLarge)
                order.withLock { $0.append(priority) }
                turn.end()
            }
        }
        let small = [
            try await limits.codecTurn(LivePriority()), try await limits.codecTurn(LivePriority()),
        ]
        var tasks = [begin(.low, isLarge: true)]
        while limits.waitingCodecCount < 1 { await Task.yield() }
        tasks.append(begin(.high, isLarge: true))
        while limits.waitingCodecCount < 2 { await Task.yield() }
        for _ in 0..<5 { tasks.append(begin(.normal)) }
        while limits.waitingCodecCount < 7 { await Task.yield() }
        small[0].end()
        for task in tasks { try await task.value }
        #expect(order.value.first == .high, "\(order.value)")
        small[1].end()
    }
}
