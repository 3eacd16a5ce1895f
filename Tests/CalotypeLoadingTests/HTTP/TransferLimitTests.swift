import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Bytes of an origin that do not count against the body limit.
@Suite(.gated)
struct `Limits of a transfer` {
    private static func chunked(_ text: String, _ chunk: String, count: Int) -> OriginResponse {
        let chunks = String(repeating: chunk, count: count)
        return OriginResponse(
            framing: .raw,
            steps: [.bytes(Data((text + chunks + "0\r\n\r\n").utf8)), .close]
        )
    }

    @Test func `bytes around the body count against the limit too`() async throws {
        let extended = "1;\(String(repeating: "x", count: 8_000))\r\nA\r\n"
        let answer = Self.chunked(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            extended,
            count: 900
        )
        try await withOrigin(["/": answer]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/"), maxByteCount: 1_000) }
            #expect(error?.code == .bodyTooLarge)
        }
    }

    @Test func `a body in minimal chunks is accepted`() async throws {
        let answer = Self.chunked(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1\r\nA\r\n",
            count: 100_000
        )
        try await withOrigin(["/": answer]) { origin, loader async throws in
            let bytes = try await loader.data(origin.url("/"), maxByteCount: 100_000)
            #expect(bytes == Data(repeating: UInt8(ascii: "A"), count: 100_000))
        }
    }

    @Test(arguments: ["HTTP/1.1 103 x: y", "HTTP/1.1 200 OK", "HTTP/2 200"])
    func `a status line within a header does not start another header`(line: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\(line)\r\nA: b\r\n\r\n"
        let answer = OriginResponse(
            framing: .raw,
            steps: [.bytes(Data(head.utf8) + Data(count: 600_000)), .close]
        )
        try await withOrigin(["/": answer]) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .invalidResponse)
        }
    }

    @Test func `two readers of one body both end`() async throws {
        let gate = OriginGate()
        let answer = OriginResponse(framing: .chunked, steps: [.wait(gate), .bytes(sampleBytes(9))])
        try await withOrigin(["/": answer]) { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            let readers = (0..<2).map { _ in
                Task {
                    var count = 0
                    for try await chunk in response.body { count += chunk.count }
                    return count
                }
            }
            await gate.open()
            var count = 0
            for reader in readers { count += try await reader.value }
            #expect(count == 9)
        }
    }
}

/// Limits of the decompressed body.
@Suite(.blocking, .enabled(if: Packer.isInstalled, "python3 is not installed"))
struct `Limits of packed bodies` {
    private static func answer(_ packed: Data) -> OriginResponse {
        OriginResponse(headers: [OriginField("Content-Encoding", "gzip")], steps: [.bytes(packed)])
    }

    @Test func `an oversized body is detected as soon as it is read`() async throws {
        let packed = try Packer.pack(Data(count: 48 << 20), as: "gzip")
        try await withOrigin(["/": Self.answer(packed)]) { origin, loader async throws in
            let request = FetchRequest(url: origin.url("/"), maxByteCount: 1 << 20)
            let response = try await loader.response(for: request)
            #expect(await failure { try await response.collected() }?.code == .bodyTooLarge)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `a paused reader gets the whole body in the end`() async throws {
        let picture = Data((0..<(20 << 20)).map { UInt8(truncatingIfNeeded: $0 / 7 &* ($0 >> 12)) })
        let packed = try Packer.pack(picture, as: "gzip")
        try await withOrigin(["/": Self.answer(packed)]) { origin, loader async throws in
            var bytes = Data()
            for try await chunk in try await loader.response(for: FetchRequest(url: origin.url("/"))).body {
                bytes += chunk
                for _ in 1...50 { await Task.yield() }
            }
            #expect(bytes == picture)
        }
    }

    @Test func `reaching the announced byte count does not end a compressed body`() async throws {
        var state: UInt64 = 1
        let picture = Data(
            (0..<800_000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return UInt8(truncatingIfNeeded: state >> 63)
            }
        )
        // The length of the file name makes the whole a multiple of the decompression block.
        var packed = try Packer.pack(picture, as: "gzip")
        let missing = 131_072 - packed.count
        try #require(missing > 1 && packed[3] == 0)
        packed[3] = 8
        packed.insert(contentsOf: Data(repeating: UInt8(ascii: "n"), count: missing - 1) + [0], at: 10)
        try await withOrigin(["/": Self.answer(packed)]) { origin, loader async throws in
            for _ in 1...3 { #expect(try await loader.data(origin.url("/")) == picture) }
        }
    }
}
