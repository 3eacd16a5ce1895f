import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Loaders can be custom; the pipeline trusts none of them.
@Suite(.gated)
struct `A loader that misbehaves` {
    @Test func `a body without an end is stopped at the limit, and nothing is stored`() async throws {
        let chunkCount = SharedState(0)
        let bench = PipelineBench { fetch, _ in
            let body = FetchBody {
                FetchBody.Iterator {
                    chunkCount.withLock { $0 += 1 }
                    return Data(repeating: 7, count: 1_000)
                }
            }
            return FetchResponse(origin: .network, url: fetch.url, body: body)
        }
        let request = bench.request { $0.decoding.limits.maxByteCount = 10_000 }
        let error = try await #require(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(error.codeLabel == "bodyTooLarge")
        #expect(chunkCount.value == 11)
        #expect(bench.store.keys == [])
    }

    @Test func `a custom loader error has its stage, and does not count as a cancellation`() async throws {
        struct Refusal: Error {}
        let counter = EndCounter()
        let bench = PipelineBench({ $0.observers = [counter] }) { _, _ in throw Refusal() }
        let error = try await #require(throws: LoadError.self) {
            try await bench.pipeline.load(bench.request())
        }
        #expect(error.stage == .load)
        #expect(error.codeLabel == "other")
        #expect(error.underlying is Refusal)
        #expect(counter.counts == EndCounter.Counts(failures: 1))
    }

    @Test func `credentials are not sent from https to an alternative on http`() async throws {
        let bench = PipelineBench { fetch, number in
            guard number > 0 else { throw FetchError(.connectionLost, detail: "a test") }
            return .network(fetch.url, FakeImageDecoder.data(width: 1, height: 1))
        }
        let request = bench.request { request in
            request.headers = [HeaderField("Authorization", "a")]
            // The literal is a URL.
            request.alternatives = [URL(string: "http://example.org/a.fake")!]
        }
        _ = try await bench.pipeline.load(request)
        #expect(bench.sent("Authorization") == ["a", nil])
    }
}
