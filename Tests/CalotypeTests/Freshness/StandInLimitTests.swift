import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Limits of stale images in place of responses: how long they are used, and how often the origin is queried.
@Suite(.gated) struct StandInLimitTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)

    @Test func `a stale image that waited for budget is not delivered after its stale-if-error time`()
        async throws
    {
        let owner = SharedState<ImagePipeline?>(nil)
        let (leases, third) = (SharedState<[ByteBudget.Lease]>([]), SharedState<Task<Void, any Error>?>(nil))
        let bench = PipelineBench {
            $0.staleFallbackTimeout = .seconds(600)
        } answer: { request, number in
            if number == 0 {
                return .network(request.url, Self.old, ["Cache-Control": "max-age=60, stale-if-error=60"])
            }
            if let budget = owner.value?.stages.limits.stored {
                // Two may exceed the budget; behind a third one the others of its origin wait.
                for name in ["first", "second"] {
                    let lease = try await budget.lease(1 << 40, of: name, LivePriority())
                    leases.withLock { $0.append(lease) }
                }
                let origin = request.url.originText
                let task = Task { try await budget.lease(1 << 40, of: origin, LivePriority()).end() }
                third.withLock { $0 = task }
                while budget.waitingCount == 0 { await Task.yield() }
            }
            throw FetchError(.connectionFailed, isRetryable: true, detail: "down")
        }
        owner.withLock { $0 = bench.pipeline }
        let request = bench.request { ($0.httpCaching, $0.cachePolicy.variant) = (.respectsHTTP, .none) }
        _ = try await bench.pipeline.load(request)
        bench.time.advance(by: .seconds(90))
        let load = Task { try await bench.pipeline.load(request) }
        let waits = await AdmissionBench.eventually { bench.pipeline.stages.limits.stored.waitingCount == 2 }
        try #require(waits, "the stand-in does not wait for budget")
        bench.time.advance(by: .seconds(3_600))
        for lease in leases.value { lease.end() }
        try await third.value?.value
        await #expect(throws: LoadError.self) { try await load.value }
        owner.withLock { $0 = nil }
    }

    @Test(arguments: [500, 403, 429])
    func `an origin that fails is not asked again for each caller of a stale image`(status: Int) async throws
    {
        let isUsedStale = ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=6000"]
        let bench = PipelineBench { request, number in
            if number == 0 { return .network(request.url, Self.old, isUsedStale) }
            throw FetchError(.unacceptableStatus, status: status, detail: "in trouble")
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.load(request)
        bench.time.advance(by: .seconds(90))
        for _ in 0..<20 {
            #expect(try await bench.pipeline.load(request).isStale)
            await bench.pipeline.untilIdle()
        }
        #expect(bench.loader.requests.count == 2)
        bench.instant.advance(by: .seconds(11))
        #expect(try await bench.pipeline.load(request).isStale)
        await bench.pipeline.untilIdle()
        #expect(bench.loader.requests.count == 3, "after originFailureDuration")
    }
}
