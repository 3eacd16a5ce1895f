import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct PriorityTests {
    @Test func `work has the highest priority of its waiters`() throws {
        var coalescer = Coalescer<String, Int>()
        guard case .start(let id) = coalescer.join("a", waiter: 1, priority: .low) else { return }
        #expect(coalescer.priority(of: id) == .low)
        _ = coalescer.join("a", waiter: 2, priority: .highest)
        #expect(coalescer.priority(of: id) == .highest)
        #expect(coalescer.setPriority(.normal, of: 2) == id)
        #expect(coalescer.priority(of: id) == .normal)
        #expect(coalescer.leave(2) == .keep(id))
        #expect(coalescer.priority(of: id) == .low)
        _ = coalescer.leave(1)
        #expect(coalescer.priority(of: id) == nil)
        #expect(coalescer.setPriority(.high, of: 1) == nil)
    }

    @Test func `priority changes reach a waiting loader through every level of sharing`() async throws {
        let gate = AsyncGate()
        let bench = PipelineBench { request, _ in
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let live = LivePriority(.low)
        let request = bench.request { $0.encoding = ImageEncoding(PNGEncoder()) }
        let first = Task { try await bench.pipeline.image(for: request, priority: live) }
        while bench.loader.requests.isEmpty { await Task.yield() }
        let seen = bench.loader.requests[0].priority
        #expect(seen.value == .low)
        live.value = .high
        #expect(seen.value == .high)
        let second = Task {
            try await bench.pipeline.data(for: bench.request(width: 2) { $0.priority = .highest })
        }
        while seen.value != .highest { await Task.yield() }
        second.cancel()
        while seen.value != .high { await Task.yield() }
        live.value = .lowest
        #expect(seen.value == .lowest)
        gate.open()
        _ = try await first.value
    }

    @Test func `a revalidation has a low priority once its callers have the stale value`() async throws {
        let work = SharedWork<String, Int, NoProgress>()
        let (gate, context) = (AsyncGate(), SharedState<LivePriority?>(nil))
        let value = try await work.value(for: "k", priority: LivePriority(.highest)) { running in
            context.withLock { $0 = running.priority }
            running.deliver(1, later: 1, outlivesClosing: false)
            await gate.wait()
            return .delivered
        }
        #expect((value, context.value?.value) == (1, .low))
        gate.open()
        await work.untilIdle()
    }

    @Test func `a value of the moment does not replace one that was delivered`() async throws {
        let work = SharedWork<String, Int, NoProgress>()
        let gate = AsyncGate()
        let first = try await work.value(for: "k") { running in
            running.deliver(1, later: 2)
            #expect(!running.deliver(3, later: 3, outlivesClosing: false, unlessDelivered: true))
            await gate.wait()
            return .delivered
        }
        #expect(first == 1)
        #expect(try await work.value(for: "k") { _ in .value(4) } == 2)
        gate.open()
        await work.untilIdle()
    }

    @Test func `concurrent changes end at the highest of the priorities set last`() async throws {
        let work = SharedWork<String, Int, NoProgress>()
        let (gate, context) = (AsyncGate(), SharedState<LivePriority?>(nil))
        let priorities = (0..<8).map { _ in LivePriority() }
        let tasks = priorities.map { priority in
            Task {
                try await work.value(for: "k", priority: priority) { running in
                    context.withLock { $0 = running.priority }
                    await gate.wait()
                    return .value(1)
                }
            }
        }
        while work.waiterCount < 8 || context.value == nil { await Task.yield() }
        await withTaskGroup(of: Void.self) { group in
            for (index, priority) in priorities.enumerated() {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(index))
                    for _ in 0..<500 {
                        priority.value = LoadPriority.allCases.randomElement(using: &generator) ?? .normal
                    }
                    priority.value = index == 3 ? .high : .low
                }
            }
        }
        #expect(context.value?.value == .high)
        gate.open()
        for task in tasks { _ = try await task.value }
    }
}
