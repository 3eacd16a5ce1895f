import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated)
struct `Many URLs at once` {
    private func load(_ count: Int, _ pipeline: ImagePipeline) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for number in 0..<count {
                let request = ImageRequest(url: PipelineBench.url.appending(path: "\(number)"))
                group.addTask {
                    do {
                        return try await pipeline.load(request).source.rawValue
                    } catch {
                        return (error as? LoadError)?.codeLabel ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test func `each of ten thousand loads ends, within the memory limit and without leftovers`() async throws
    {
        let bench = PipelineBench { fetch, _ in
            .network(fetch.url, FakeImageDecoder.data(width: 10, height: 10))
        }
        #expect(await load(10_000, bench.pipeline) == ["network": 10_000])
        await bench.pipeline.untilIdle()
        #expect(bench.pipeline.waiterCount == 0)
        let memory = bench.pipeline.cache.memory
        #expect(memory.statistics.cost <= memory.costLimit)
        #expect(bench.store.keys.count == 10_000)
    }

    @Test func `permanent failures are remembered up to the limit`() async throws {
        let bench = PipelineBench({ $0.maxFailureCount = 300 }) { _, _ in
            throw FetchError(.unacceptableStatus, status: 404, detail: "404")
        }
        #expect(await load(2_000, bench.pipeline) == ["unacceptableStatus": 2_000])
        #expect(bench.pipeline.stages.failures.loads.withLock(\.count) == 300)
        #expect(bench.store.keys == [])
    }
}
