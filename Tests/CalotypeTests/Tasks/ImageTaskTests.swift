import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct ImageTaskTests {
    private let body = PacedBody()
    private static let head = FakeImageDecoder.data(width: 40, height: 30)

    private func bench() -> PipelineBench {
        PipelineBench { [body] request, _ in
            FetchResponse(origin: .network, url: request.url, expectedByteCount: 100, body: body.body)
        }
    }

    @Test func `a task starts at once and reports its state, progress and result`() async throws {
        let bench = bench()
        let task = bench.pipeline.task(for: bench.request())
        #expect(task.state == .waiting || task.state == .loading)
        while task.state == .waiting { await Task.yield() }
        #expect(task.state == .loading)
        #expect(task.progress == LoadProgress(byteCount: 0, expectedByteCount: 100), "it has begun")
        body.send(Self.head)
        while task.progress?.byteCount != Self.head.count { await Task.yield() }
        body.finish()
        #expect(try await task.image.width == 40)
        #expect(try await task.result.source == .network)
        #expect(task.state == .finished)
        task.cancel()
        #expect(task.state == .finished, "it has ended")
    }

    @Test func `cancelling a task ends its waiters and drops its body`() async throws {
        let bench = bench()
        let task = bench.pipeline.task(for: bench.request())
        while task.state == .waiting { await Task.yield() }
        task.cancel()
        #expect(task.state == .cancelled)
        await #expect(throws: CancellationError.self) { try await task.image }
        await body.isDropped.wait()
    }

    @Test func `cancelling a waiter cancels the task`() async throws {
        let bench = bench()
        let task = bench.pipeline.task(for: bench.request())
        let waiter = Task { try await task.image }
        while task.state == .waiting { await Task.yield() }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(task.state == .cancelled)
    }

    @Test func `the priority of a task can be changed while it loads`() async throws {
        let bench = bench()
        let task = bench.pipeline.task(for: bench.request())
        while bench.loader.requests.isEmpty { await Task.yield() }
        #expect(bench.loader.requests[0].priority.value == .normal)
        task.priority = .highest
        #expect(bench.loader.requests[0].priority.value == .highest)
        task.cancel()
    }

    @Test func `events of a task end with the result, also for a late consumer`() async throws {
        let bench = bench()
        let task = bench.pipeline.task(for: bench.request())
        body.send(Self.head)
        body.finish()
        _ = try await task.result
        var events: [ImageEvent] = []
        for try await event in task.events { events.append(event) }
        guard case .finished? = events.last else { Issue.record("\(events)"); return }
        #expect(events.count <= 2)
    }

    @Test func `two consumers share the events of a task and both end`() async throws {
        let bench = bench()
        let task = bench.pipeline.task(for: bench.request())
        let (body, head) = (body, Self.head)
        let finishedCount = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var count = 0
                    for try await event in task.events {
                        if case .finished = event { count += 1 }
                    }
                    return count
                }
            }
            body.send(head)
            body.finish()
            return try await group.reduce(0, +)
        }
        #expect(finishedCount == 1)
    }

    @Test func `a failed task has that state and throws to each caller`() async throws {
        let bench = PipelineBench { _, _ in throw FetchError(.timedOut, detail: "") }
        let task = bench.pipeline.task(for: bench.request())
        for _ in 0..<2 { await #expect(throws: LoadError.self) { try await task.result } }
        #expect(task.state == .failed)
    }

    @Test func `a pipeline reports one running request for each shared load`() async throws {
        let bench = bench()
        #expect(!bench.pipeline.isRunning && bench.pipeline.runningRequests.isEmpty)
        let tasks = (0..<3).map { _ in bench.pipeline.task(for: bench.request()) }
        while bench.loader.requests.isEmpty { await Task.yield() }
        #expect(bench.pipeline.isRunning)
        #expect(bench.pipeline.runningRequests == [bench.request()])
        body.send(Self.head)
        body.finish()
        for task in tasks { _ = try await task.result }
        while bench.pipeline.isRunning { await Task.yield() }
        #expect(bench.pipeline.runningRequests.isEmpty)
    }
}
