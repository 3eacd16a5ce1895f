import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import LoopbackOrigin
import TestTraits
import Testing

@Suite(.timeLimit(.minutes(20)))
struct `No connection` {
    @Test func `a name without an address is host not found`() async throws {
        try await withOrigin([:]) { _, loader async throws in
            let url = try #require(URL(string: "http://no-such-host.invalid/a.png"))
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .hostNotFound)
            #expect(error?.detail.contains("no-such-host.invalid") == true)
        }
    }

    @Test func `a port without a listener is a failed connection, at once`() async throws {
        // Port 1 has no listener; the port of a closed origin may already belong to another test.
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        try await withOrigin([:]) { _, loader async throws in
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .connectionFailed)
            #expect(error?.isRetryable == true)
        }
    }

    @Test(.waiting, .enabled(if: Nginx.isInstalled, "nginx is not installed: Scripts/setup installs it"))
    func `TLS to a plain port is an insecure connection`() async throws {
        let server = try Nginx.start()
        defer { #expect(throws: Never.self) { try server.close() } }
        try await withOrigin([:]) { _, loader async throws in
            let port = try #require(server.url("/").port)
            let url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
            #expect(await failure { try await loader.data(url) }?.code == .insecureConnection)
        }
    }

    @Test func `an origin that closes during the TLS handshake is retryable`() async throws {
        // The server closes the connection on bytes that are not HTTP.
        try await withOrigin([:]) { origin, loader async throws in
            let url = try #require(URL(string: "https://127.0.0.1:\(origin.port)/"))
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .connectionLost && error?.isRetryable == true)
        }
    }

    @Test func `an origin that does not respond times out`() async throws {
        let gate = OriginGate()
        let configuration = HTTPDataLoader.Configuration.with { $0.idleTimeout = .milliseconds(50) }
        try await withOrigin(["/": OriginResponse().held(by: gate)], configuration) {
            origin,
            loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .timedOut)
            #expect(error?.isRetryable == true)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `an origin that stalls within the body times out`() async throws {
        let gate = OriginGate()
        let configuration = HTTPDataLoader.Configuration.with { $0.idleTimeout = .milliseconds(50) }
        let response = OriginResponse(framing: .announced(10), steps: [.bytes(sampleBytes(5)), .wait(gate)])
        try await withOrigin(["/": response], configuration) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .timedOut)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `the total timeout ends a load that waits for its header`() async throws {
        let gate = OriginGate()
        let configuration = HTTPDataLoader.Configuration.with { $0.totalTimeout = .milliseconds(50) }
        try await withOrigin(["/": OriginResponse().held(by: gate)], configuration) {
            origin,
            loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .timedOut)
            await origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `the total timeout ends a slow body`() async throws {
        let gate = OriginGate()
        let response = OriginResponse(
            framing: .chunked,
            steps: [.bytes(sampleBytes(1)), .wait(gate), .bytes(sampleBytes(1))]
        )
        let origin = try await LoopbackOrigin.start(routes: ["/": response])
        let elapsed = Guarded(Duration.zero)
        let start = ContinuousClock.now
        let loader = HTTPDataLoader(
            .with { $0.totalTimeout = .seconds(60) },
            now: { start + elapsed.withLock { $0 } }
        )
        var chunks = try await loader.response(for: FetchRequest(url: origin.url("/"))).body
            .makeAsyncIterator()
        #expect(try await chunks.next()?.count == 1)
        elapsed.withLock { $0 = .seconds(59) }
        await gate.open()
        #expect(try await chunks.next()?.count == 1)
        elapsed.withLock { $0 = .seconds(60) }
        #expect(await failure { try await chunks.next() }?.code == .timedOut)
        await loader.shutdown()
        await origin.close()
    }

    @Test(arguments: ["http:///a", "http://", "http://a.test:0/", "http://a.test:70000/"])
    func `a URL without a host is refused`(text: String) async throws {
        guard let url = URL(string: text) else { return }
        try await withOrigin([:]) { _, loader async throws in
            #expect(await failure { try await loader.data(url) }?.code == .invalidURL)
        }
    }

    @Test func `a URL of a megabyte is refused`() async throws {
        try await withOrigin([:]) { origin, loader async throws in
            let url = origin.url("/" + String(repeating: "a", count: 1 << 20))
            #expect(await failure { try await loader.data(url) }?.code == .invalidURL)
        }
    }

    @Test func `another scheme is refused`() async throws {
        try await withOrigin([:]) { _, loader async throws in
            let url = try #require(URL(string: "ftp://a.test/"))
            #expect(await failure { try await loader.data(url) }?.code == .unsupportedScheme)
        }
    }

    @Test func `a header field with a line break is refused and not shown`() async throws {
        try await withOrigin(["/": OriginResponse()]) { origin, loader async throws in
            let headers = [HeaderField("X-Key", "secret\r\nX-Other: 1")]
            let error = await failure { try await loader.data(origin.url("/"), headers: headers) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.contains("secret") == false)
        }
    }
}
