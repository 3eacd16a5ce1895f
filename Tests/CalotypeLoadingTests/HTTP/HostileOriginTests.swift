import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Origins that try to exhaust memory, time or retries.
@Suite(.gated)
struct `Hostile origins` {
    /// An endless body: the step is repeated until the other side disconnects.
    private static func endless(_ piece: Data, head: String) -> OriginResponse {
        let pieces = (0..<2000).map { _ in OriginResponse.Step.bytes(piece) }
        let pauses = OriginGate()
        return OriginResponse(
            framing: .raw,
            steps: [.bytes(Data(head.utf8))] + pieces + [.wait(pauses)]
        )
    }

    /// Header fields that are too many or too long; named cases keep the test output short.
    enum HeaderBomb: String, CaseIterable {
        case longField, hugeField, manyFields, longNames, tinyFields, foldedField

        var fields: String {
            switch self {
            case .longField: "X-Bomb: \(String(repeating: "x", count: 64 << 10))\r\n"
            case .hugeField: "X-Bomb: \(String(repeating: "x", count: 8 << 20))\r\n"
            case .manyFields: String(repeating: "X-Small: 12345678901234567890\r\n", count: 250 * 12)
            case .longNames: String(repeating: "X-\(String(repeating: "y", count: 400)): 1\r\n", count: 200)
            case .tinyFields: String(repeating: "A: b\r\n", count: 100_000)
            case .foldedField:
                "X-Folded: a\r\n"
                    + String(repeating: " \(String(repeating: "z", count: 1000))\r\n", count: 1000)
            }
        }
    }

    @Test(arguments: HeaderBomb.allCases)
    func `header bombs are refused`(bomb: HeaderBomb) async throws {
        let bytes = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(bomb.fields)\r\n".utf8)
        try await withOrigin(["/": .raw(bytes)]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .invalidResponse)
            #expect(error?.detail.contains("header") == true)
        }
    }

    @Test(arguments: ["X-Endless: ", "X-Endless: a\r\n"])
    func `an endless header is refused after a bounded part`(beginning: String) async throws {
        let line = beginning.hasSuffix("\n") ? "X-More: 1\r\n" : "xxxxxxxxxxx"
        let piece = Data(String(repeating: line, count: 100).utf8)
        let response = Self.endless(piece, head: "HTTP/1.1 200 OK\r\n\(beginning)")
        try await withOrigin(["/": response]) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .invalidResponse)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test(arguments: ["Content-Length: 99999999999", "Transfer-Encoding: chunked", "Connection: close"])
    func `an endless body is cut off at the limit`(framing: String) async throws {
        let isChunked = framing.hasSuffix("chunked")
        let piece = sampleBytes(1 << 14)
        let chunk = isChunked ? Data("4000\r\n".utf8) + piece + Data("\r\n".utf8) : piece
        let response = Self.endless(chunk, head: "HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n")
        try await withOrigin(["/": response]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/"), maxByteCount: 1 << 20) }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.isRetryable == false)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `a paused reader is not flooded`() async throws {
        // 32 MB are ready to be sent; unread bytes stay at the origin.
        let response = Self.endless(
            sampleBytes(1 << 14),
            head: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
        )
        try await withOrigin(["/": response]) { origin, loader async throws in
            var chunks = try await loader.response(for: FetchRequest(url: origin.url("/"))).body
                .makeAsyncIterator()
            let first = try #require(try await chunks.next())
            #expect(first.count <= 1 << 20)
        }
    }

    // Loads hold their bodies while earlier ones are decoded.
    @Test func `a paused reader does not count as a silent origin`() async throws {
        // More than is read ahead, and little enough for the system's buffers.
        let large = sampleBytes(1 << 20)
        let silent = OriginResponse(framing: .announced(1), steps: [.wait(OriginGate())])
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(large), "/silent": silent])
        let loader = HTTPDataLoader(.with { $0.idleTimeout = .seconds(5) })
        var begun: FetchResponse?
        while begun == nil {
            do {
                begun = try await loader.response(for: FetchRequest(url: origin.url("/")))
            } catch let error as FetchError where error.code == .timedOut {
                // The machine gave no time to the origin.
            }
        }
        let response = try #require(begun)
        // It starts after the paused load, so the pause would exceed its own timeout first.
        let error = await failure { try await loader.data(origin.url("/silent")) }
        #expect(error?.code == .timedOut)
        #expect(try await response.collected() == large)
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a trickling body is ended by the total timeout`() async throws {
        let gates = (0..<70).map { _ in OriginGate() }
        let steps = gates.flatMap { [OriginResponse.Step.bytes(Data([7])), .wait($0)] }
        let origin = try await LoopbackOrigin.start(
            routes: ["/": OriginResponse(framing: .announced(1000), steps: steps)]
        )
        let elapsed = Guarded(Duration.zero)
        let start = ContinuousClock.now
        let loader = HTTPDataLoader(
            .with { $0.totalTimeout = .seconds(60) },
            now: { start + elapsed.withLock { $0 } }
        )
        var chunks = try await loader.response(for: FetchRequest(url: origin.url("/"))).body
            .makeAsyncIterator()
        var byteCount = 0
        do {
            while let chunk = try await chunks.next() {
                byteCount += chunk.count
                elapsed.withLock { $0 += .seconds(1) }
                await gates[byteCount - 1].open()
            }
            Issue.record("it came to its end")
        } catch let error as FetchError {
            #expect(error.code == .timedOut)
            #expect(error.detail == "timed out: the limit for the whole load is 60.0 seconds")
        }
        #expect(byteCount == 60)
        await origin.activity.until { $0.openCount == 0 }
        await loader.shutdown()
        await origin.close()
    }

    @Test(arguments: [
        "zz\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n", "FFFFFFFFFFFFFFFFF\r\nabc", "3\r\nabcd\r\n0\r\n\r\n",
        "3 3\r\nabc\r\n", "\r\n\r\n", "3;\(String(repeating: "e", count: 100_000))\r\nab",
    ])
    func `garbage between chunks is an invalid or an incomplete response`(body: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await withOrigin(["/": .raw(Data((head + body).utf8))]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .invalidResponse || error?.code == .connectionLost, "\(body.prefix(20))")
        }
    }

    @Test func `a page instead of an image is accepted unless types are restricted`() async throws {
        let page = OriginResponse.body(Data("<html>sign in</html>".utf8), type: "text/html; charset=utf-8")
        try await withOrigin(["/a.png": page]) { origin, loader async throws in
            #expect(try await loader.data(origin.url("/a.png")).count == 20)
        }
        let configuration = HTTPDataLoader.Configuration.with { $0.acceptedContentTypes = ["image/*"] }
        try await withOrigin(["/a.png": page], configuration) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/a.png")) }
            #expect(error?.code == .unacceptableContentType)
            #expect(error?.detail == "the content type is text/html")
        }
    }

    @Test func `a chain of redirects across hosts ends at the limit`() async throws {
        let last = try await LoopbackOrigin.start { .redirect(to: "/\($0.target.count)\($0.target)") }
        try await withOrigin(["/": .redirect(to: last.url("/").absoluteString)]) {
            origin,
            loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .redirectRefused)
            #expect(error?.detail == "more than 5 redirects")
            #expect(await last.activity.snapshot.requests.count == 5)
        }
        await last.close()
    }

    @Test func `a redirect to a URL of a megabyte is refused`() async throws {
        let location = "/" + String(repeating: "a", count: 60_000)
        let longer = OriginResponse.redirect(to: location + location)
        try await withOrigin(["/": .redirect(to: location), "/longer": longer]) {
            origin,
            loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.status == 404)
            #expect(await failure { try await loader.data(origin.url("/longer")) }?.code == .invalidResponse)
        }
    }
}
