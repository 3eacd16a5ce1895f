import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Redirects to origins that do not respond.
@Suite(.gated) struct FailingRedirectTests {
    @Test func `an unreachable redirect target fails in place of the redirecting origin`() async throws {
        let closed = try await LoopbackOrigin.start(routes: [:])
        let target = closed.url("/a.png")
        await closed.close()
        let redirecting: LoopbackOrigin.Handler = { _ in .redirect(to: target.absoluteString) }
        try await HTTPBench.with(origin: redirecting) { bench async throws in
            let request = bench.request("/a.png")
            let error = try await #require(throws: LoadError.self) {
                try await bench.pipeline.image(for: request)
            }
            #expect(error.code == .connectionFailed)
            let failures = bench.pipeline.stages.failures
            let isFailing = [request.url, target].map { url in
                failures.origins.withLock { $0.failure(of: url.originText, at: .now) != nil }
            }
            #expect(isFailing == [false, true])
        }
    }
}
