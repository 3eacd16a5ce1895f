import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Bodies of redirect targets that break off, and cannot be resumed.
@Suite(.gated) struct ResumedBlameTests {
    enum Resumption: CaseIterable {
        case noTurn, otherTarget, missing
    }

    @Test(arguments: Resumption.allCases)
    func `a body that breaks off is a failure of the target that sent it`(
        resumption: Resumption
    ) async throws {
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 60_000)
        let target = try #require(URL(string: "https://target.test/a.fake"))
        let lost = FetchError(.connectionLost, isRetryable: true, detail: "lost")
        let network = ScriptedDataLoader { request, index in
            // As HTTPDataLoader at the start of each try.
            request.tally?.recordRedirect(to: nil)
            // The load begins anew once, and each body is resumed once.
            guard !index.isMultiple(of: 2) else {
                request.tally?.recordRedirect(to: target)
                var response = FetchResponse.network(target, picture, ["ETag": "\"1\""])
                response.body = FetchBody([picture.prefix(30_000)], then: lost)
                return response
            }
            switch resumption {
            case .noTurn: throw FetchError(.overloaded, isRetryable: true, detail: "the queue is full")
            case .otherTarget: return .network(request.url, picture, ["ETag": "\"2\""])
            case .missing: throw FetchError(.unacceptableStatus, status: 404, detail: "missing")
            }
        }
        var policy = RetryPolicy()
        (policy.maxRetryCount, policy.maxFirstDelay) = (1, .zero)
        var configuration = AdmissionBench.configuration(
            FakeImageDecoder(),
            RetryingLoader(network, policy: policy)
        )
        configuration.pause = { _ in }
        let pipeline = ImagePipeline(configuration)
        let request = try AdmissionBench.request("redirecting.test")
        await #expect(throws: LoadError.self) { try await pipeline.image(for: request) }
        #expect(network.requests.count == 4)
        let isFailing = [request.url, target].map { url in
            pipeline.stages.failures.origins.withLock { $0.failure(of: url.originText, at: .now) != nil }
        }
        #expect(isFailing == [false, true])
    }
}
