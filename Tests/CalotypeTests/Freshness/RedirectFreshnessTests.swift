import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Responses behind redirects, which are fresh no longer than the redirects.
@Suite(.gated) struct RedirectFreshnessTests {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30)

    /// The number of requests of three loads, five minutes apart, of an immutable response that
    /// this redirect leads to.
    private func requestCount(status: Int, _ headers: [String: String]) async throws -> Int {
        let bench = PipelineBench { request, _ in
            let target = try #require(URL(string: "https://a.test/v1"))
            var response = FetchResponse.network(
                target,
                Self.picture,
                ["Cache-Control": "max-age=31536000, immutable"]
            )
            let fields = headers.map { HeaderField($0.key, $0.value) }
            response.redirects = [FetchRedirect(url: request.url, status: status, headers: fields)]
            return response
        }
        for _ in 1...3 {
            _ = try await bench.pipeline.load(bench.request { $0.httpCaching = .respectsHTTP })
            bench.time.advance(by: .seconds(300))
        }
        return bench.loader.requests.count
    }

    @Test(arguments: [302, 303, 307])
    func `a temporary redirect without freshness is followed each time`(status: Int) async throws {
        #expect(try await requestCount(status: status, [:]) == 3)
    }

    @Test(arguments: [301, 308])
    func `a permanent redirect does not limit the freshness of its target`(status: Int) async throws {
        #expect(try await requestCount(status: status, [:]) == 1)
    }

    @Test func `the freshness of a redirect limits that of its target`() async throws {
        #expect(try await requestCount(status: 302, ["Cache-Control": "max-age=1000"]) == 1)
        #expect(try await requestCount(status: 302, ["Cache-Control": "max-age=400"]) == 2)
        #expect(try await requestCount(status: 301, ["Cache-Control": "max-age=400"]) == 2)
        #expect(try await requestCount(status: 301, ["Cache-Control": "no-cache"]) == 3)
        #expect(try await requestCount(status: 301, ["Expires": "0"]) == 3)
    }

    @Test func `a target behind a no-store redirect is not cached`() async throws {
        #expect(try await requestCount(status: 301, ["Cache-Control": "no-store"]) == 3)
    }

    @Test func `a revalidated response is fresh only as long as the redirects of its revalidation`()
        async throws
    {
        let bench = PipelineBench { request, number in
            let tag = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
            var response =
                number == 0
                ? FetchResponse.network(request.url, Self.picture, tag)
                : .network(request.url, status: 304, tag)
            if number == 1 {
                response.redirects = [FetchRedirect(url: request.url, status: 302, headers: [])]
            }
            return response
        }
        for _ in 1...4 {
            _ = try await bench.pipeline.load(bench.request { $0.httpCaching = .respectsHTTP })
            bench.time.advance(by: .seconds(40))
        }
        // Fresh; stale after 80 s and confirmed through a redirect; not fresh; confirmed without a redirect.
        #expect(bench.loader.requests.count == 3)
    }
}
