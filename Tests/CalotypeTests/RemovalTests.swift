import CalotypeTesting
import FoundationEssentials
import Testing

@testable import Calotype

@Suite struct RemovalTests {
    // SDWebImage #3687: how to remove all variants of one image.
    @Test func `all variants of a source go, and nothing else`() async throws {
        let bench = PipelineBench { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 40, height: 30))
        }
        let others: [ImageRequest] = [
            bench.request { $0.headers = [HeaderField("Authorization", "Bearer a")] },
            bench.request { $0.url = URL(string: "https://example.org/a.fake2")! },  // A literal.
        ]
        let own = [
            bench.request(), bench.request(width: 20),
            bench.request(width: 10) { $0.encoding = ImageEncoding(PNGEncoder()) },
        ]
        for request in own + others {
            _ = try await bench.pipeline.image(for: request)
            _ = try await bench.pipeline.data(for: request)
        }
        try await bench.pipeline.removeAllVariants(of: bench.request(width: 5))
        for request in own { #expect(bench.pipeline.residentImage(for: request) == nil) }
        for request in others {
            #expect(try await bench.pipeline.load(request).source == .memory)
            #expect(try await bench.pipeline.data(for: request).source == .memory)
        }
        #expect(bench.store.keys.count == 2)
        #expect(try await bench.pipeline.load(own[1]).source == .network)
    }

    @Test func `variants of a source with credentials go with its original`() async throws {
        let bench = PipelineBench { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 40, height: 30))
        }
        let secret: (inout ImageRequest) -> Void = { $0.headers = [HeaderField("Cookie", "a")] }
        let small = bench.request(width: 20, secret)
        _ = try await bench.pipeline.image(for: small)
        _ = try await bench.pipeline.image(for: bench.request(width: 20))
        try await bench.pipeline.removeAllVariants(of: bench.request(secret))
        #expect(bench.pipeline.residentImage(for: small) == nil)
        #expect(bench.pipeline.residentImage(for: bench.request(width: 20)) != nil)
        #expect(bench.store.keys == [PipelineBench.url.absoluteString])
    }

    @Test func `a failure of the source is forgotten with it`() async throws {
        let bench = PipelineBench { _, _ in
            throw FetchError(.unacceptableStatus, status: 404, detail: "404")
        }
        for _ in 0..<2 {
            await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
            try await bench.pipeline.removeAllVariants(of: bench.request())
        }
        #expect(bench.loader.requests.count == 2)
    }
}
