import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct PrefetchControlTests {
    private let bodies = (0..<4).map { _ in PacedBody() }
    private let data = FakeImageDecoder.data(width: 4, height: 3)

    private func bench() -> PipelineBench {
        PipelineBench { [bodies] request, number in
            FetchResponse(origin: .network, url: request.url, body: bodies[number].body)
        }
    }

    // The texts are URLs.
    private var requests: [ImageRequest] {
        (0..<4).map { ImageRequest(url: URL(string: "https://example.org/\($0).fake")!) }
    }

    private func finish(_ number: Int) {
        bodies[number].send(data)
        bodies[number].finish()
    }

    @Test func `a paused prefetch finishes its running loads and starts no new ones until it resumes`()
        async throws
    {
        let (bench, control, ended) = (bench(), PrefetchControl(), SharedState(0))
        let prefetch = Task { [requests] in
            try await bench.pipeline.prefetch(requests, maxConcurrency: 2, control: control) { step in
                ended.withLock { $0 = step.report.finishedCount }
            }
        }
        while bench.loader.requests.count < 2 { await Task.yield() }
        control.isPaused = true
        finish(0)
        finish(1)
        while ended.value < 2 { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(bench.loader.requests.count == 2)
        control.isPaused = false
        while bench.loader.requests.count < 4 { await Task.yield() }
        finish(2)
        finish(3)
        #expect(try await prefetch.value.loadedCount == 4)
    }

    @Test func `a prefetch paused from the start loads nothing until it resumes`() async throws {
        let (bench, control) = (bench(), PrefetchControl(isPaused: true))
        for number in 0..<4 { finish(number) }
        let prefetch = Task { [requests] in
            try await bench.pipeline.prefetch(requests, control: control)
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(bench.loader.requests.isEmpty)
        control.isPaused = false
        #expect(try await prefetch.value.loadedCount == 4)
    }

    @Test func `cancelling a paused prefetch ends it at once`() async throws {
        let (bench, control) = (bench(), PrefetchControl(isPaused: true))
        let prefetch = Task { [requests] in
            try await bench.pipeline.prefetch(requests, control: control)
        }
        for _ in 0..<100 { await Task.yield() }
        prefetch.cancel()
        await #expect(throws: CancellationError.self) { try await prefetch.value }
        #expect(bench.loader.requests.isEmpty)
    }

    @Test func `changing the priority of a prefetch applies to running and later loads`() async throws {
        let (bench, control) = (bench(), PrefetchControl())
        let prefetch = Task { [requests] in
            try await bench.pipeline.prefetch(
                requests,
                maxConcurrency: 1,
                priority: .lowest,
                control: control
            )
        }
        while bench.loader.requests.count < 1 { await Task.yield() }
        #expect(bench.loader.requests[0].priority.value == .lowest)
        control.priority = .high
        #expect(bench.loader.requests[0].priority.value == .high)
        for number in 0..<4 { finish(number) }
        _ = try await prefetch.value
        #expect(bench.loader.requests.map(\.priority.value) == [.high, .high, .high, .high])
    }
}
