import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Compressed bodies that were not requested.
@Suite(.blocking, .enabled(if: Packer.isInstalled, "python3 is not installed"))
struct `Packed bodies` {
    private static let picture = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    private static func response(_ body: Data, _ coding: String, announced: Bool = true) -> OriginResponse {
        OriginResponse(
            headers: [OriginField("Content-Encoding", coding), OriginField("Content-Type", "image/png")],
            framing: announced ? .counted : .chunked,
            steps: [.bytes(body)]
        )
    }

    @Test(arguments: [
        ("gzip", true), ("x-gzip", false), ("deflate", true), ("GZIP", false), ("br", true), ("zstd", false),
    ])
    func `a compressed body is decompressed, and its length is not reported`(coding: String, announced: Bool)
        async throws
    {
        let packing = ["deflate": "zlib", "br": "br", "zstd": "zstd"][coding] ?? "gzip"
        guard Packer.canPack(as: packing) else { return }
        let packed = try Packer.pack(Self.picture, as: packing)
        let routes = ["/": Self.response(packed, coding, announced: announced)]
        try await withOrigin(routes) { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            #expect(response.expectedByteCount == nil)
            #expect(try await response.collected() == Self.picture)
            // The compressed length does not end a body early, and the connection is reused.
            #expect(try await loader.data(origin.url("/")) == Self.picture)
            #expect(await origin.activity.snapshot.openedCount == 1)
        }
    }

    @Test func `the decompressed size counts against the limit`() async throws {
        let packed = try Packer.pack(Self.picture, as: "gzip")
        try await withOrigin(["/": Self.response(packed, "gzip")]) { origin, loader async throws in
            #expect(packed.count < 50_000)
            let error = await failure { try await loader.data(origin.url("/"), maxByteCount: 50_000) }
            #expect(error?.code == .bodyTooLarge)
            #expect(try await loader.data(origin.url("/"), maxByteCount: 100_000) == Self.picture)
        }
    }

    @Test func `a decompression bomb ends long before the limit`() async throws {
        let bomb = try Packer.pack(Data(count: 48 << 20), as: "gzip")
        try await withOrigin(["/": Self.response(bomb, "gzip")]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.detail.contains("unpacks to more than 250 times") == true)
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, gzip", "compress", "exi"])
    func `a body that cannot be decompressed is an invalid response`(coding: String) async throws {
        try await withOrigin(["/": Self.response(sampleBytes(1000), coding)]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .invalidResponse)
            #expect(error?.detail.contains("encoded") == true)
        }
    }

    @Test(arguments: ["aws-chunked", "none", "utf-8", "binary", "x-unknown", "identity", ""])
    func `an unknown or identity coding is ignored`(coding: String) async throws {
        try await withOrigin(["/": Self.response(sampleBytes(1000), coding)]) { origin, loader async throws in
            #expect(try await loader.data(origin.url("/")) == sampleBytes(1000))
        }
    }

    @Test func `an interrupted compressed body is not continued by a range`() async throws {
        let packed = try Packer.pack(Self.picture, as: "gzip")
        let broken = OriginResponse(
            headers: [OriginField("Content-Encoding", "gzip"), OriginField("ETag", "\"a\"")],
            framing: .announced(packed.count),
            steps: [.bytes(packed.prefix(packed.count - 20)), .close]
        )
        let origin = try await LoopbackOrigin.start(routes: ["/": broken])
        let loader = RetryingLoader(HTTPDataLoader(.patient), policy: .prompt)
        #expect(await failure { try await loader.data(origin.url("/")) } != nil)
        let requests = await origin.activity.snapshot.requests
        #expect(requests.allSatisfy { $0[header: "range"] == nil })
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a request with a body is not sent again for an unknown coding`() async throws {
        let origin = try await LoopbackOrigin.start { _ in
            var response = OriginResponse.body(sampleBytes(9))
            response.headers.append(OriginField("Content-Encoding", "aws-chunked"))
            return response
        }
        let loader = HTTPDataLoader(.patient)
        var request = FetchRequest(url: origin.url("/"))
        (request.method, request.body) = ("POST", Data("pay".utf8))
        let error = await failure { try await loader.response(for: request).collected() }
        #expect(error?.code == .invalidResponse)
        #expect(error?.detail.contains("aws-chunked") == true)
        #expect(await origin.activity.snapshot.requests.count == 1)
        await loader.shutdown()
        await origin.close()
    }
}
