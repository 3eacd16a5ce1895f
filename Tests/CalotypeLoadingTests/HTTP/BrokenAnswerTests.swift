import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `Broken answers` {
    @Test(arguments: [0, 1, 999, 70_000])
    func `a body shorter than announced is a length mismatch`(byteCount: Int) async throws {
        let response = OriginResponse.body(sampleBytes(byteCount), announcing: byteCount + 1)
        try await withOrigin(["/": response]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .lengthMismatch)
            #expect(error?.isRetryable == true)
            #expect(error?.detail == "the body ended before its announced \(byteCount + 1) bytes")
        }
    }

    @Test(arguments: [1, 999, 70_000])
    func `a body longer than announced is a length mismatch`(byteCount: Int) async throws {
        let response = OriginResponse.body(sampleBytes(byteCount), announcing: byteCount - 1)
        try await withOrigin(["/": response]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .lengthMismatch)
            #expect(error?.isRetryable == false)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test(arguments: [0, 10, 70_000])
    func `a connection closed within the body is lost`(byteCount: Int) async throws {
        let response = OriginResponse.body(sampleBytes(100_000), resetAfter: byteCount)
        try await withOrigin(["/": response]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .connectionLost)
            #expect(error?.isRetryable == true)
        }
    }

    @Test func `a chunked body without its end is lost`() async throws {
        let response = OriginResponse(framing: .chunked, steps: [.bytes(sampleBytes(100)), .close])
        try await withOrigin(["/": response]) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .connectionLost)
        }
    }

    @Test func `a connection closed before the header is lost`() async throws {
        let routes = [
            "/close": OriginResponse(framing: .raw, steps: [.close]),
            "/reset": OriginResponse(framing: .raw, steps: [.reset]),
            "/half": OriginResponse.raw(Data("HTTP/1.1 200 OK\r\nContent-".utf8)),
        ]
        try await withOrigin(routes) { origin, loader async throws in
            for path in routes.keys {
                let error = await failure { try await loader.data(origin.url(path)) }
                #expect(error?.code == .connectionLost, "\(path)")
                #expect(error?.isRetryable == true)
            }
        }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/7.3 200 OK\r\n\r\n",
    ])
    func `a response that is not HTTP is invalid`(text: String) async throws {
        try await withOrigin(["/": .raw(Data(text.utf8))]) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .invalidResponse)
        }
    }

    @Test func `a header of more than 64 KiB is refused`() async throws {
        let field = OriginField("X-Bomb", String(repeating: "x", count: 66_000))
        try await withOrigin(["/": OriginResponse(headers: [field])]) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .invalidResponse)
        }
    }

    @Test func `an announced size over the limit is refused before the body`() async throws {
        let gate = OriginGate()
        let response = OriginResponse(framing: .announced(1001), steps: [.wait(gate)])
        try await withOrigin(["/": response]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/"), maxByteCount: 1000) }
            #expect(error?.code == .bodyTooLarge)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `a body over the limit is cut off at the limit`() async throws {
        let gate = OriginGate()
        let steps: [OriginResponse.Step] = [.bytes(sampleBytes(1001)), .wait(gate)]
        try await withOrigin(["/": OriginResponse(framing: .chunked, steps: steps)]) {
            origin,
            loader async throws in
            let error = await failure { try await loader.data(origin.url("/"), maxByteCount: 1000) }
            #expect(error?.code == .bodyTooLarge)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `a failed body releases its connection while its iterator is still held`() async throws {
        let gate = OriginGate()
        let steps: [OriginResponse.Step] = [.bytes(sampleBytes(11)), .wait(gate)]
        try await withOrigin(["/": OriginResponse(framing: .chunked, steps: steps)]) {
            origin,
            loader async throws in
            let request = FetchRequest(url: origin.url("/"), maxByteCount: 10)
            var chunks = try await loader.response(for: request).body.makeAsyncIterator()
            #expect(await failure { try await chunks.next() }?.code == .bodyTooLarge)
            await origin.activity.until { $0.openCount == 0 }
            #expect(try await chunks.next() == nil)
        }
    }

    @Test func `a body at the limit is complete`() async throws {
        try await withOrigin(["/": .body(sampleBytes(1000)), "/c": .chunked([sampleBytes(1000)])]) {
            origin,
            loader async throws in
            for path in ["/", "/c"] {
                let bytes = try await loader.data(origin.url(path), maxByteCount: 1000)
                #expect(bytes == sampleBytes(1000))
            }
        }
    }

    @Test(arguments: [404, 302])
    func `an unused response body does not delay the load`(status: Int) async throws {
        let gate = OriginGate()
        let response = OriginResponse(
            status: status,
            headers: [OriginField("Location", "/b")],
            framing: .announced(16_000),
            steps: [.bytes(sampleBytes(1)), .wait(gate)]
        )
        try await withOrigin(["/": response, "/b": .body(sampleBytes(3))]) { origin, loader async throws in
            if status == 404 {
                #expect(await failure { try await loader.data(origin.url("/")) }?.status == 404)
            } else {
                #expect(try await loader.data(origin.url("/")) == sampleBytes(3))
            }
            await origin.activity.until { $0.closedCount == 1 }
        }
    }

    @Test func `the body of a refused status is not read`() async throws {
        let gate = OriginGate()
        let response = OriginResponse(
            status: 500,
            framing: .announced(1 << 30),
            steps: [.bytes(sampleBytes(1000)), .wait(gate)]
        )
        try await withOrigin(["/": response]) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.status == 500)
            await origin.activity.until { $0.openCount == 0 }
        }
    }
}
