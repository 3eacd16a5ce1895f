import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct PauseTests {
    private func bench() -> PipelineBench {
        PipelineBench { request, _ in .network(request.url, FakeImageDecoder.data(width: 4, height: 3)) }
    }

    @Test func `a paused pipeline sends no requests and still reads its caches`() async throws {
        let bench = bench()
        _ = try await bench.pipeline.load(bench.request())
        bench.pipeline.pauseLoading()
        #expect(bench.pipeline.isLoadingPaused() && !bench.pipeline.isLoadingPaused(from: "example.org"))
        #expect(try await bench.pipeline.load(bench.request()).source == .memory)
        #expect(try await bench.pipeline.load(bench.request(width: 2)).source == .disk)
        let task = bench.pipeline.task(for: "https://example.org/b.fake")
        while bench.pipeline.stages.pauseGate.waiterCount == 0 { await Task.yield() }
        #expect(bench.loader.requests.count == 1)
        bench.pipeline.resumeLoading()
        #expect(try await task.result.source == .network)
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a paused host stays paused when the pipeline resumes`() async throws {
        let bench = bench()
        bench.pipeline.pauseLoading(from: "Slow.example")
        let slow = bench.pipeline.task(for: "https://slow.example/a.fake")
        while bench.pipeline.stages.pauseGate.waiterCount == 0 { await Task.yield() }
        #expect(try await bench.pipeline.load("https://quick.example/a.fake").source == .network)
        bench.pipeline.resumeLoading()
        #expect(bench.pipeline.stages.pauseGate.waiterCount == 1)
        bench.pipeline.resumeLoading(from: "slow.example")
        #expect(try await slow.result.source == .network)
    }

    @Test func `a load that waits for a pause to end can be cancelled`() async throws {
        let bench = bench()
        bench.pipeline.pauseLoading()
        let task = bench.pipeline.task(for: bench.request())
        while bench.pipeline.stages.pauseGate.waiterCount == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.result }
        while bench.pipeline.stages.pauseGate.waiterCount > 0 { await Task.yield() }
        #expect(bench.loader.requests.isEmpty)
    }
}
