import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Origins that are not contacted because the time of a load is over.
@Suite(.gated) struct DeadlineBlameTests {
    // The literals are URLs.
    private static let mirror = URL(string: "http://mirror.test/a.fake")!

    private func bench(_ answer: @escaping @Sendable (ManualInstant) async throws -> Void) -> PipelineBench {
        let instant = SharedState<ManualInstant?>(nil)
        let http = HTTPDataLoader(HTTPDataLoader.Configuration()) { instant.value?.now ?? .now }
        let bench = PipelineBench {
            $0.originalTimeout = .seconds(10)
        } answer: { request, _ in
            if request.url != Self.mirror, let instant = instant.value { try await answer(instant) }
            return try await http.response(for: request)
        }
        instant.withLock { $0 = bench.instant }
        return bench
    }

    private func isFailing(_ url: URL, _ bench: PipelineBench) -> Bool {
        let now = bench.instant.now
        return bench.pipeline.stages.failures.origins.withLock {
            $0.failure(of: url.originText, at: now) != nil
        }
    }

    @Test func `an alternative without time left is not a failing origin`() async throws {
        let bench = bench { instant in
            instant.advance(by: .seconds(11))
            throw FetchError(.timedOut, isRetryable: true, detail: "it hangs")
        }
        let request = bench.request { $0.alternatives = [Self.mirror] }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(isFailing(PipelineBench.url, bench))
        #expect(!isFailing(Self.mirror, bench), "it was never contacted")
    }

    @Test func `an origin whose loads were paused until their deadline is not failing`() async throws {
        let bench = bench { _ in }
        let request = bench.request { $0.url = Self.mirror }
        bench.pipeline.pauseLoading()
        let load = Task { try await bench.pipeline.load(request) }
        while bench.pipeline.stages.pauseGate.waiterCount == 0 { await Task.yield() }
        bench.instant.advance(by: .seconds(11))
        bench.pipeline.resumeLoading()
        await #expect(throws: LoadError.self) { try await load.value }
        #expect(!isFailing(Self.mirror, bench), "it was never contacted")
    }
}
