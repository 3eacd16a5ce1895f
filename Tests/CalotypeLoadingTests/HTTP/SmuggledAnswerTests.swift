import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Bytes after the end of a response: none of them may become part of the next response.
@Suite(.gated)
struct `Smuggled answers` {
    private static let counted = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    private static let empty = "HTTP/1.1 204 No Content\r\n\r\n"

    /// Complete responses, starts of responses that swallow the next bytes, and garbage.
    private static let excess = [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Swallow: ", "HTTP/1.1 200 OK\r\nTransfer-Enco",
        "HTTP/1.1 2",
        "H", "x", "\r\n\r\n\r\n\r\nH", "HTTP/1.1 103 Early Hints\r\n\r\n",
    ]

    @Test(arguments: ["\n", "\r\n"])
    func `a line end after a counted body is dropped, and the connection is closed`(end: String) async throws
    {
        let answer = Data((Self.counted + end).utf8)
        let origin = try await LoopbackOrigin.start { _ in .raw(answer) }
        let loader = HTTPDataLoader(.patient)
        for _ in 1...2 { #expect(try await loader.data(origin.url("/")) == Data("abc".utf8)) }
        await loader.shutdown()
        await origin.close()
    }

    @Test(arguments: [counted, chunked, empty], excess)
    func `bytes received with the end fail the response`(answer: String, excess: String) async throws {
        let gate = OriginGate()
        let trap = OriginResponse(framing: .raw, steps: [.bytes(Data((answer + excess).utf8)), .wait(gate)])
        try await withOrigin(["/trap": trap, "/": .body(sampleBytes(5))]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/trap")) }
            #expect(error?.code == .lengthMismatch)
            await origin.activity.until { $0.closedCount == 1 }
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            #expect(!response.headers.contains { $0.name == "X-Swallow" })
            #expect(try await response.collected() == sampleBytes(5))
        }
    }

    @Test(arguments: [counted, chunked, empty], excess)
    func `bytes received later close the connection`(answer: String, excess: String) async throws {
        let gate = OriginGate()
        let endless = OriginGate()
        let trap = OriginResponse(
            framing: .raw,
            steps: [
                .bytes(Data(answer.utf8)), .wait(gate), .bytes(Data(excess.utf8)), .wait(endless),
            ]
        )
        try await withOrigin(["/trap": trap, "/": .body(sampleBytes(5))]) { origin, loader async throws in
            let expected = answer == Self.empty ? Data() : Data("abc".utf8)
            #expect(try await loader.data(origin.url("/trap")) == expected)
            await gate.open()
            await origin.activity.until { $0.closedCount == 1 }
            #expect(try await loader.data(origin.url("/")) == sampleBytes(5))
            #expect(await origin.activity.snapshot.openedCount == 2)
        }
    }

    @Test func `a response in chunks of any size is complete, and its connection is reused`() async throws {
        let bytes = sampleBytes(200_000)
        let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8)
        for cut in [1, head.count - 1, head.count, head.count + 1, 9999] {
            let whole = head + bytes
            let gate = OriginGate()
            await gate.open()
            let steps: [OriginResponse.Step] = [
                .bytes(whole.prefix(cut)), .wait(gate), .bytes(whole.dropFirst(cut)),
            ]
            try await withOrigin(["/": OriginResponse(framing: .raw, steps: steps)]) {
                origin,
                loader async throws in
                for _ in 1...2 { #expect(try await loader.data(origin.url("/")) == bytes) }
            }
        }
    }

    @Test func `a response after early hints is complete`() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let answer = OriginResponse(framing: .raw, steps: [.bytes(Data((hints + Self.counted).utf8))])
        try await withOrigin(["/": answer]) { origin, loader async throws in
            for _ in 1...3 { #expect(try await loader.data(origin.url("/")) == Data("abc".utf8)) }
        }
    }
}
