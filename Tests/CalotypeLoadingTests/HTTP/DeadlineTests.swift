import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// The deadline of a request in every kind of wait.
@Suite(.gated) struct DeadlineTests {
    private func request(_ url: URL, _ limit: Duration) -> FetchRequest {
        var request = FetchRequest(url: url)
        request.deadline = .now + limit
        return request
    }

    @Test func `a load waiting for its host ends at its deadline`() async throws {
        let gate = OriginGate()
        let routes = ["/": OriginResponse.body(Data([1])).held(by: gate)]
        try await withOrigin(routes, .with { $0.maxFetchConcurrencyPerHost = 1 }) { origin, loader in
            let first = Task { try await loader.data(origin.url("/")) }
            while loader.activity.runningCount == 0 { await Task.yield() }
            let error = await failure {
                try await loader.response(for: request(origin.url("/"), .milliseconds(50)))
            }
            #expect(error?.code == .timedOut && error?.fault == .origin)
            #expect(loader.activity.waitingCount == 0)
            first.cancel()
            _ = await first.result
            await gate.open()
        }
    }

    @Test func `a hanging origin is not retried after the deadline`() async throws {
        let gate = OriginGate()
        let routes = ["/": OriginResponse.body(Data([1])).held(by: gate)]
        try await withOrigin(routes) { origin, loader in
            let retrying = RetryingLoader(loader)
            let error = await failure {
                try await retrying.response(for: request(origin.url("/"), .milliseconds(50)))
            }
            // On a busy machine the deadline may precede the first request, which is not the origin's fault.
            #expect(error?.code == .timedOut || error?.code == .overloaded)
            #expect(await origin.activity.snapshot.requests.count <= 1)
            await gate.open()
        }
    }
}
