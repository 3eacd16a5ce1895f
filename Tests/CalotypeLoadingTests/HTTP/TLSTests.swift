import CalotypeLoading
import CalotypeTesting
import CalotypeTransfer
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Loads from a TLS origin, with certificates created for each test.
@Suite(
    .waiting,
    .enabled(if: NginxServer.isInstalled, "nginx is not installed: Scripts/setup installs it")
)
struct `Loads over TLS` {
    @Test(arguments: [true, false])
    func `an origin with a trusted root is loaded from, by address and by name`(speaksHTTP2: Bool)
        async throws
    {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, speaksHTTP2: speaksHTTP2) {
            origin,
            loader async throws in
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(300_000))
            #expect(try await loader.data(origin.url("/a", host: "localhost")) == sampleBytes(300_000))
        }
    }

    @Test(arguments: [true, false])
    func `connections are reused`(speaksHTTP2: Bool) async throws {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, speaksHTTP2: speaksHTTP2) {
            origin,
            loader async throws in
            for _ in 1...5 { _ = try await loader.data(origin.url("/a")) }
            #expect(origin.connectionCount(ofRequests: 5) == 1)
        }
    }

    @Test(arguments: [true, false])
    func `a transaction has the duration of its TLS handshake, if there was one`(speaksHTTP2: Bool)
        async throws
    {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, speaksHTTP2: speaksHTTP2) {
            origin,
            loader async throws in
            let tally = FetchTally()
            for _ in 1...2 {
                var request = FetchRequest(url: origin.url("/a", host: "localhost"))
                request.tally = tally
                _ = try await loader.response(for: request).collected()
            }
            let found = tally.counts.transactions
            #expect(found.map(\.version) == (speaksHTTP2 ? ["h2", "h2"] : ["http/1.1", "http/1.1"]))
            #expect(found.map { $0.tlsHandshake == nil } == [false, true])
            #expect(found.map(\.isReused) == [false, true])
            #expect(found.allSatisfy { $0.nameLookup >= .zero && ($0.tlsHandshake ?? .zero) <= $0.total })
        }
    }

    @Test func `a certificate without a trusted root is refused`() async throws {
        try await withTLSOrigin(try TestCertificate(), trusting: nil) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/a")) }
            #expect(error?.code == .insecureConnection)
            #expect(error?.isRetryable == false)
            #expect(error?.detail.contains("additionalTrustRoots") == true)
            #expect(await origin.origin.activity.snapshot.requests.isEmpty)
        }
        try await withTLSOrigin(try TestCertificate(), trusting: try TestCertificate()) {
            origin,
            loader async throws in
            #expect(await failure { try await loader.data(origin.url("/a")) }?.code == .insecureConnection)
        }
    }

    @Test func `an expired certificate is refused, even if trusted`() async throws {
        let made = try TestCertificate(isExpired: true)
        try await withTLSOrigin(made, trusting: made) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/a")) }
            #expect(error?.code == .insecureConnection)
            #expect(error?.detail.contains("expired") == true)
            #expect(await origin.origin.activity.snapshot.requests.isEmpty)
        }
    }

    @Test(arguments: ["DNS:other.test", "IP:127.0.0.2", "DNS:*.localhost"])
    func `a certificate for another name is refused`(names: String) async throws {
        let made = try TestCertificate(for: names)
        try await withTLSOrigin(made, trusting: made) { origin, loader async throws in
            for host in ["127.0.0.1", "localhost"] {
                let error = await failure { try await loader.data(origin.url("/a", host: host)) }
                #expect(error?.code == .insecureConnection)
                #expect(error?.detail == "\(host): its certificate is for another name")
            }
            #expect(await origin.origin.activity.snapshot.requests.isEmpty)
        }
    }

    @Test func `no redirect leads from TLS to plain HTTP`() async throws {
        let made = try TestCertificate()
        let plain = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        let routes = [
            "/": OriginResponse.redirect(to: plain.url("/").absoluteString), "/a": .redirect(to: "/b"),
            "/b": .body(sampleBytes(3)),
        ]
        try await withTLSOrigin(made, trusting: made, routes) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .redirectRefused)
            #expect(error?.detail == "redirected from https to http")
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(3))
        }
        #expect(await plain.activity.snapshot.openedCount == 0)
        await plain.close()
    }

    @Test func `plain HTTP to a TLS port is an error`() async throws {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, speaksHTTP2: false) { origin, loader async throws in
            let url = try #require(URL(string: "http://127.0.0.1:\(origin.port)/a"))
            #expect(await failure { try await loader.data(url) }?.status == 400)
        }
    }

    @Test(arguments: [AddressPolicy.publicOnly, .any])
    func `the address policy also applies over TLS`(policy: AddressPolicy) async throws {
        let made = try TestCertificate(for: "DNS:rebound.test")
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { _ in [.v4(0x5DB8_D70E)] }
        surroundings.connectionHosts = ["rebound.test": "127.0.0.1"]
        let configuration = HTTPDataLoader.Configuration.with { $0.addressPolicy = policy }
        try await withTLSOrigin(made, trusting: made, as: configuration, in: surroundings) {
            origin,
            loader async throws in
            let url = origin.url("/a", host: "rebound.test")
            if policy == .any {
                #expect(try await loader.data(url) == sampleBytes(300_000))
            } else {
                #expect(await failure { try await loader.data(url) }?.code == .addressRefused)
                #expect(await origin.origin.activity.snapshot.requests.isEmpty)
            }
        }
    }

    @Test func `a tunnel through a proxy carries TLS`() async throws {
        let made = try TestCertificate(for: "DNS:pictures.test")
        let origin = try await TLSOrigin(made, ["/": .body(sampleBytes(3))], speaksHTTP2: true)
        let proxy = try await LoopbackProxy.start(to: origin.port)
        let roots = try HTTPDataLoader.TrustRoots(pem: made.certificate)
        let loader = HTTPDataLoader(
            .with {
                $0.proxy = .http(host: "127.0.0.1", port: proxy.port)
                $0.additionalTrustRoots = [roots]
            }
        )
        let url = try #require(URL(string: "https://pictures.test/"))
        #expect(try await loader.data(url) == sampleBytes(3))
        let request = try #require(await proxy.requests.first { _ in true })
        #expect(request.first == "CONNECT pictures.test:443 HTTP/1.1")
        await loader.shutdown()
        await proxy.close()
        origin.stop()
        await origin.origin.close()
    }

    @Test(.enabled(if: TLSRelay.isInstalled, "python3 is not installed: Scripts/setup installs it"))
    func `bytes after the end of a response fail it over TLS too`() async throws {
        let made = try TestCertificate()
        let gate = OriginGate()
        let excess = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let answer = Data("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc\(excess)".utf8)
        let trap = OriginResponse(framing: .raw, steps: [.bytes(answer), .wait(gate)])
        let roots = try HTTPDataLoader.TrustRoots(pem: made.certificate)
        let configuration = HTTPDataLoader.Configuration.with { $0.additionalTrustRoots = [roots] }
        try await withOrigin(["/trap": trap, "/": .body(sampleBytes(5))], configuration) {
            origin,
            loader async throws in
            let relay = try TLSRelay(to: origin.port, certificate: made.files)
            defer { relay.stop() }
            let url = try #require(URL(string: "https://127.0.0.1:\(relay.port)/"))
            let error = await failure { try await loader.data(url.appending(path: "trap")) }
            #expect(error?.code == .lengthMismatch)
            #expect(try await loader.data(url) == sampleBytes(5))
        }
    }

    @Test func `trust roots can be read from a file, and a file without any is refused`() throws {
        let folder = try ScratchFolder()
        let made = [try TestCertificate(), try TestCertificate()].map(\.certificate)
        try (made[0] + made[1]).write(to: URL(filePath: folder.path + "/roots.pem"))
        _ = try HTTPDataLoader.TrustRoots(file: folder.path + "/roots.pem")
        #expect(throws: FetchError.self) { try HTTPDataLoader.TrustRoots(file: folder.path + "/none.pem") }
        for bytes in [Data(), Data("no certificate".utf8), made[0].prefix(200)] {
            #expect(throws: FetchError.self) { try HTTPDataLoader.TrustRoots(pem: bytes) }
        }
    }
}
