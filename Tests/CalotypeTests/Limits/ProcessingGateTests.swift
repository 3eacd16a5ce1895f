import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

@Suite(.gated) struct ProcessingGateTests {
    private static func gate(places: Int, pixels: Int) throws -> ProcessingGate {
        let loader = ScriptedDataLoader(fakeImages(1, 1))
        var configuration = ImagePipeline.Configuration(cache: ImageCache(stores: []), loader: loader)
        configuration.workGate = AdmissionGate(maxCount: places, maxWaitingCount: 100)
        configuration.maxWorkByteCount = pixels
        return try #require(ProcessingGate(configuration))
    }

    private static func enter(_ gate: ProcessingGate, _ byteCount: Int) async throws -> Making {
        try await gate.enter(LivePriority()) { WorkSize(byteCount: byteCount, isLarge: false) }
    }

    @Test func `large work waiting for the pixel budget leaves permits to small work`() async throws {
        let gate = try Self.gate(places: 8, pixels: 1_600)
        let first = try await Self.enter(gate, 1_000)
        let large = (0..<20).map { _ in Task { try await Self.enter(gate, 1_000).end() } }
        // Seven permits are for large work; a waiter for one of these holds none.
        while gate.workload(decodeCount: 0).waitingCount < 14 { await Task.yield() }
        for _ in 0..<50 { try await Self.enter(gate, 10).end() }
        #expect(gate.workload(decodeCount: 0).runningCount <= 8)
        first.end()
        for task in large { try await task.value }
        let end = gate.workload(decodeCount: 0)
        #expect((end.runningCount, end.waitingCount, end.heldByteCount) == (0, 0, 0))
    }

    @Test func `work that is large by its duration leaves permits to small work`() async throws {
        let gate = try Self.gate(places: 8, pixels: 1_600)
        func enterLarge() async throws -> Making {
            try await gate.enter(LivePriority()) { WorkSize(byteCount: 10, isLarge: true) }
        }
        var large: [Making] = []
        for _ in 0..<7 { large.append(try await enterLarge()) }
        let waiting = Task { try await enterLarge() }
        while gate.workload(decodeCount: 0).waitingCount < 1 { await Task.yield() }
        try await Self.enter(gate, 10).end()
        for making in large { making.end() }
        try await waiting.value.end()
    }

    @Test func `drawings with slow headers leave permits to small work`() async throws {
        let gate = try Self.gate(places: 8, pixels: 1_600)
        let header = AsyncGate()
        let drawings = (0..<20).map { _ in
            Task {
                try await gate.enter(LivePriority(), isDrawing: true) {
                    await header.wait()
                    return WorkSize(byteCount: 10, isLarge: true)
                }.end()
            }
        }
        while gate.workload(decodeCount: 0).waitingCount < 13 { await Task.yield() }
        for _ in 0..<50 { try await Self.enter(gate, 10).end() }
        header.open()
        for task in drawings { try await task.value }
        let end = gate.workload(decodeCount: 0)
        #expect((end.runningCount, end.waitingCount, end.heldByteCount) == (0, 0, 0))
    }

    @Test func `work shared by two callers holds its budget until both have ended it`() async throws {
        let gate = try Self.gate(places: 2, pixels: 1_600)
        let making = try await Self.enter(gate, 1_000)
        making.noteHolders(2)
        making.end()
        #expect(gate.workload(decodeCount: 0).heldByteCount == 1_000)
        making.end()
        #expect(gate.workload(decodeCount: 0).heldByteCount == 0)
    }

    @Test func `work that turns out to be larger waits for pixels, apart from one`() async throws {
        let gate = try Self.gate(places: 8, pixels: 1_600)
        var works: [Making] = []
        for _ in 0..<3 { works.append(try await Self.enter(gate, 100)) }
        // The first one grows within the budget of large work, beside small work.
        try await works[0].grow(to: 2_000)
        try await works[0].grow(to: 50)
        #expect(gate.workload(decodeCount: 0).heldByteCount == 2_200)
        // One holder exceeds the budget, so that work cannot deadlock.
        try await works[1].grow(to: 2_000)
        #expect(gate.workload(decodeCount: 0).heldByteCount == 4_100)
        let third = works[2]
        let waiting = Task { try await third.grow(to: 2_000) }
        let budget = try #require(gate.pixels)
        while budget.waitingCount < 1 { await Task.yield() }
        works[1].end()
        try await waiting.value
        #expect(gate.workload(decodeCount: 0).heldByteCount == 4_000)
        for work in [works[0], third] { work.end() }
        #expect(gate.workload(decodeCount: 0).heldByteCount == 0)
    }

    @Test func `holders of one decode take turns when no other permits are available`() async throws {
        let gate = try Self.gate(places: 2, pixels: 1_600)
        let making = try await Self.enter(gate, 1_000)
        making.noteHolders(3)
        let first = try await making.inTurn(LivePriority())
        let rest = (0..<2).map { _ in Task { try await making.inTurn(LivePriority()) } }
        while gate.workload(decodeCount: 0).waitingCount < 2 { await Task.yield() }
        #expect(gate.workload(decodeCount: 0).heldByteCount == 1_000)
        rest[0].cancel()
        await #expect(throws: CancellationError.self) { try await rest[0].value }
        first.end()
        try await rest[1].value.end()
        let end = gate.workload(decodeCount: 0)
        #expect((end.runningCount, end.waitingCount, end.heldByteCount) == (0, 0, 0))
    }

    @Test func `holders of one decode use permits that are available at once`() async throws {
        let gate = try Self.gate(places: 3, pixels: 1_600)
        let making = try await Self.enter(gate, 100)
        making.noteHolders(3)
        var own: [Making] = []
        for _ in 0..<3 { own.append(try await making.inTurn(LivePriority())) }
        #expect(gate.workload(decodeCount: 0).heldByteCount == 300)
        for making in own { making.end() }
        let end = gate.workload(decodeCount: 0)
        #expect((end.runningCount, end.waitingCount, end.heldByteCount) == (0, 0, 0))
    }

    @Test func `more holders of one decode than may wait are refused`() async throws {
        let gate = try Self.gate(places: 1, pixels: 1_600)
        let making = try await Self.enter(gate, 1_000)
        making.noteHolders(102)
        let first = try await making.inTurn(LivePriority())
        let waiting = (0..<100).map { _ in Task { try await making.inTurn(LivePriority()).end() } }
        while gate.workload(decodeCount: 0).waitingCount < 100 { await Task.yield() }
        await #expect(throws: FetchError.self) { try await making.inTurn(LivePriority()) }
        first.end()
        for task in waiting { try await task.value }
        #expect(gate.workload(decodeCount: 0).heldByteCount == 0)
    }

    @Test func `cancelling waiting large work releases its permits and budget`() async throws {
        let gate = try Self.gate(places: 2, pixels: 1_600)
        let first = try await Self.enter(gate, 1_000)
        let large = (0..<20).map { _ in Task { try await Self.enter(gate, 1_000) } }
        while gate.workload(decodeCount: 0).waitingCount < 19 { await Task.yield() }
        for task in large { task.cancel() }
        for task in large { await #expect(throws: CancellationError.self) { try await task.value } }
        first.end()
        try await Self.enter(gate, 1_000).end()
        let end = gate.workload(decodeCount: 0)
        #expect((end.runningCount, end.waitingCount, end.heldByteCount) == (0, 0, 0))
    }
}
