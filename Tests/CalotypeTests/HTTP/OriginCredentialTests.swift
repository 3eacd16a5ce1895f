import Calotype
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

/// Images that a loader got with its own credentials.
@Suite(.gated)
struct `Credentials of origins in a pipeline` {
    /// The width of the image tells which account loaded it.
    private static let handler: LoopbackOrigin.Handler = { request in
        let widths = ["Bearer first": 11, "Bearer second": 12]
        let width = request[header: "authorization"].flatMap { widths[$0] } ?? 10
        return .body(FakeImageDecoder.data(width: width, height: 10))
    }

    private func table(_ bench: HTTPBench, _ token: String?, identity: String? = nil) throws
        -> [OriginPattern: OriginCredentials]
    {
        guard let token else { return [:] }
        var credentials = try OriginCredentials(headers: [.authorization(bearerToken: token)])
        credentials.identity = identity
        return [try OriginPattern("http://127.0.0.1:\(bench.origin.port)"): credentials]
    }

    @Test func `a change of credentials mixes no images, in memory or on disk`() async throws {
        let origins = try OriginTable()
        try await HTTPBench.with(http: { $0.origins = origins }, origin: Self.handler) { bench async throws in
            let request = bench.request("/a.fake")
            for (token, width) in [("first", 11), ("second", 12), (nil, 10), ("first", 11)] {
                try origins.replace(with: table(bench, token))
                let image = try await bench.pipeline.image(for: request)
                #expect(image.size.width == width, "\(token ?? "none")")
                let again = try await bench.pipeline.image(for: request)
                #expect(again.size.width == width)
            }
            #expect(await bench.origin.activity.snapshot.requests.count == 3)
        }
    }

    @Test func `with a name for the account, new credentials use the same entries`() async throws {
        let origins = try OriginTable()
        try await HTTPBench.with(http: { $0.origins = origins }, origin: Self.handler) { bench async throws in
            for token in ["first", "second"] {
                try origins.replace(with: table(bench, token, identity: "shop"))
                let image = try await bench.pipeline.image(for: bench.request("/a.fake"))
                #expect(image.size.width == 11)
            }
            #expect(await bench.origin.activity.snapshot.requests.count == 1)
        }
    }
}
