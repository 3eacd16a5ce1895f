import Calotype
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

/// Hostile responses: a typed error, nothing stored, no more memory than allowed.
@Suite(.gated)
struct `Bad answers over HTTP` {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30)

    /// Expects an error with this code from images, data and events, and nothing in any cache.
    private func expect(
        _ code: String,
        from handler: @escaping LoopbackOrigin.Handler,
        path: String = "/a.jpg",
        http change: (inout HTTPDataLoader.Configuration) -> Void = { _ in },
        at location: SourceLocation = #_sourceLocation,
        request adjust: (inout ImageRequest) -> Void = { _ in }
    ) async throws {
        try await HTTPBench.with(http: change, origin: handler) { bench async throws in
            let request = bench.request(path, adjust)
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await bench.pipeline.image(for: request) },
                { _ = try await bench.pipeline.data(for: request) },
                { for try await _ in bench.pipeline.events(for: request) {} },
            ]
            for call in calls {
                bench.pipeline.forgetFailures()
                let error = try await #require(throws: LoadError.self, sourceLocation: location) {
                    try await call()
                }
                #expect(error.codeLabel == code, "\(error)", sourceLocation: location)
                #expect("\(error)".utf8.count < 300, "\(error)", sourceLocation: location)
            }
            let usage = try await bench.pipeline.cache.usage(of: .disk)
            #expect(usage == StoreUsage(), sourceLocation: location)
            #expect(bench.pipeline.cache.statistics.memory.count == 0, sourceLocation: location)
        }
    }

    @Test func `an error page with status 200 throws unrecognizedFormat`() async throws {
        try await expect("unrecognizedFormat") { _ in
            .body(Data("<!DOCTYPE html><html>Sign in</html>".utf8), type: "image/jpeg")
        }
    }

    @Test func `an empty body throws`() async throws {
        try await expect("empty") { _ in .body(Data(), type: "image/jpeg") }
    }

    @Test func `a 304 to an unconditional request throws`() async throws {
        try await expect("unacceptableStatus") { _ in OriginResponse(status: 304) }
    }

    @Test func `an endless body is stopped at the limit`() async throws {
        let chunk = Data(repeating: 7, count: 1 << 16)
        let endless: LoopbackOrigin.Handler = { _ in
            .chunked([Self.picture] + Array(repeating: chunk, count: 1_000))
        }
        try await expect(
            "bodyTooLarge",
            from: endless,
            request: { $0.decoding.limits.maxByteCount = 1 << 18 }
        )
    }

    @Test func `a body that announces more than the limit is not read`() async throws {
        let gate = OriginGate()
        let huge: LoopbackOrigin.Handler = { _ in
            OriginResponse(framing: .announced(1 << 40), steps: [.bytes(Self.picture), .wait(gate)])
        }
        try await expect("bodyTooLarge", from: huge)
    }

    @Test func `a content type that is not accepted throws even for a valid image`() async throws {
        try await expect(
            "unacceptableContentType",
            from: { _ in .body(Self.picture, type: "text/html; charset=utf-8") },
            http: { $0.acceptedContentTypes = ["image/*"] }
        )
    }

    @Test func `a partial response is not stored as the whole image`() async throws {
        try await expect("invalidResponse") { _ in
            OriginResponse(status: 206, steps: [.bytes(Self.picture.prefix(8))])
        }
        // A requested part is stored under a key of its own.
        try await HTTPBench.with(origin: { request in
            guard request[header: "range"] == nil else {
                return OriginResponse(
                    status: 206,
                    steps: [.bytes(FakeImageDecoder.data(width: 1, height: 1))]
                )
            }
            return .body(Self.picture)
        }) { bench async throws in
            let part = bench.request("/a.fake") { $0.headers = [HeaderField("Range", "bytes=0-7")] }
            #expect(try await bench.pipeline.image(for: part).size.width == 1)
            #expect(try await bench.pipeline.image(for: bench.request("/a.fake")).size.width == 40)
        }
    }

    @Test func `a URL of a megabyte is rejected before it is sent`() async throws {
        let path = "/" + String(repeating: "a", count: 1 << 20)
        try await expect("invalidURL", from: { _ in .body(Self.picture) }, path: path)
    }

    @Test func `a URL of six thousand characters is loaded and cached`() async throws {
        try await HTTPBench.with(origin: { _ in .body(Self.picture) }) { bench async throws in
            let request = bench.request("/" + String(repeating: "a", count: 6_000))
            #expect(try await bench.pipeline.load(request).source == .network)
            bench.pipeline.cache.removeAllFromMemory()
            #expect(try await bench.pipeline.load(request).source == .disk)
        }
    }

    @Test(arguments: ["/猫/é.fake", "/%E7%8C%AB/%C3%A9.fake", "/a%20b%2Fc.fake", "/a.fake?q=%00&r=ü"])
    func `non-ASCII and percent-encoded URLs reach the origin and are cached`(path: String) async throws {
        try await HTTPBench.with(origin: { _ in .body(Self.picture) }) { bench async throws in
            let text = bench.origin.url("").absoluteString + path
            let url = try #require(URL(string: text))
            let request = ImageRequest(url: url, waitsForStore: true)
            #expect(try await bench.pipeline.load(request).source == .network)
            bench.pipeline.cache.removeAllFromMemory()
            #expect(try await bench.pipeline.load(request).source == .disk)
            let target = try #require(await bench.origin.activity.snapshot.requests.first?.target)
            #expect(target.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(url.absoluteString.hasSuffix(target))
        }
    }
}
