import CalotypeLoading
import CalotypeTesting
import CalotypeTransfer
import FoundationEssentials
import LoopbackOrigin
import TestTraits
import Testing

/// Against an origin that speaks TLS, with certificates made for each test.
@Suite(.waiting, .timeLimit(.minutes(20)))
struct `Loads over TLS` {
    @Test func `a trusted root opens the origin, by address and by name`() async throws {
        let made = try TestCertificate()
        try await with(made, trusting: made) { origin, loader async throws in
            #expect(origin.url("/").scheme == "https")
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(300_000))
            let byName = try #require(URL(string: "https://localhost:\(origin.port)/a"))
            #expect(try await loader.data(byName) == sampleBytes(300_000))
        }
    }

    @Test func `connections are used again`() async throws {
        let made = try TestCertificate()
        try await with(made, trusting: made) { origin, loader async throws in
            for _ in 1...5 { _ = try await loader.data(origin.url("/a")) }
            #expect(await origin.activity.snapshot.openedCount == 1)
        }
    }

    @Test func `a certificate that no trusted root has signed is refused`() async throws {
        try await with(try TestCertificate(), trusting: nil) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/a")) }
            #expect(error?.code == .insecureConnection)
            #expect(error?.isRetryable == false)
            #expect(error?.detail.contains("additionalTrustRoots") == true)
            #expect(await origin.activity.snapshot.requests.isEmpty)
        }
        try await with(try TestCertificate(), trusting: try TestCertificate()) {
            origin,
            loader async throws in
            #expect(await failure { try await loader.data(origin.url("/a")) }?.code == .insecureConnection)
        }
    }

    @Test func `an expired certificate is refused, also one that is trusted`() async throws {
        let made = try TestCertificate(isExpired: true)
        try await with(made, trusting: made) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/a")) }
            #expect(error?.code == .insecureConnection)
            #expect(error?.detail.contains("expired") == true)
            #expect(await origin.activity.snapshot.requests.isEmpty)
        }
    }

    @Test(arguments: ["DNS:other.test", "IP:127.0.0.2", "DNS:*.localhost"])
    func `a certificate for another name is refused`(names: String) async throws {
        let made = try TestCertificate(for: names)
        try await with(made, trusting: made) { origin, loader async throws in
            for host in ["127.0.0.1", "localhost"] {
                let url = try #require(URL(string: "https://\(host):\(origin.port)/a"))
                let error = await failure { try await loader.data(url) }
                #expect(error?.code == .insecureConnection)
                #expect(error?.detail == "\(host): its certificate is for another name")
            }
            #expect(await origin.activity.snapshot.requests.isEmpty)
        }
    }

    @Test func `no redirect leads from TLS to plain HTTP`() async throws {
        let made = try TestCertificate()
        let plain = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        let routes = [
            "/": OriginResponse.redirect(to: plain.url("/").absoluteString), "/a": .redirect(to: "/b"),
            "/b": .body(sampleBytes(3)),
        ]
        try await with(made, trusting: made, routes) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .redirectRefused)
            #expect(error?.detail == "redirected from https to http")
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(3))
        }
        #expect(await plain.activity.snapshot.openedCount == 0)
        await plain.close()
    }

    @Test func `plain HTTP to a port that speaks TLS is an error`() async throws {
        let made = try TestCertificate()
        try await with(made, trusting: made) { origin, loader async throws in
            let url = try #require(URL(string: "http://127.0.0.1:\(origin.port)/a"))
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .connectionLost || error?.code == .invalidResponse)
        }
    }

    @Test func `the address policy holds over TLS as well`() async throws {
        let made = try TestCertificate(for: "DNS:rebound.test")
        let origin = try await LoopbackOrigin.start(
            routes: ["/": .body(sampleBytes(3))],
            at: .init(identity: made.identity)
        )
        for policy in [AddressPolicy.publicOnly, .any] {
            var surroundings = HTTPDataLoader.Surroundings()
            surroundings.resolve = { _ in [.v4(0x5DB8_D70E)] }
            surroundings.connectionHosts = ["rebound.test": "127.0.0.1"]
            let roots = try HTTPDataLoader.TrustRoots(pem: made.certificate)
            let configuration = HTTPDataLoader.Configuration.with {
                $0.addressPolicy = policy
                $0.additionalTrustRoots = [roots]
            }
            let loader = HTTPDataLoader(configuration, surroundings)
            let url = try #require(URL(string: "https://rebound.test:\(origin.port)/"))
            if policy == .any {
                #expect(try await loader.data(url) == sampleBytes(3))
            } else {
                #expect(await failure { try await loader.data(url) }?.code == .addressRefused)
            }
            await loader.shutdown()
        }
        #expect(await origin.activity.snapshot.requests.count == 1)
        await origin.close()
    }

    @Test func `a tunnel through a proxy carries TLS`() async throws {
        let made = try TestCertificate(for: "DNS:pictures.test")
        let origin = try await LoopbackOrigin.start(
            routes: ["/": .body(sampleBytes(3))],
            at: .init(identity: made.identity)
        )
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
        await origin.close()
    }

    @Test func `trust roots come from a file as well, and what holds none is refused`() throws {
        let folder = try ScratchFolder()
        let made = [try TestCertificate(), try TestCertificate()].map(\.certificate)
        try (made[0] + made[1]).write(to: URL(filePath: folder.path + "/roots.pem"))
        _ = try HTTPDataLoader.TrustRoots(file: folder.path + "/roots.pem")
        #expect(throws: FetchError.self) { try HTTPDataLoader.TrustRoots(file: folder.path + "/none.pem") }
        for bytes in [Data(), Data("no certificate".utf8), made[0].prefix(200)] {
            #expect(throws: FetchError.self) { try HTTPDataLoader.TrustRoots(pem: bytes) }
        }
    }

    private func with(
        _ made: TestCertificate,
        trusting trusted: TestCertificate?,
        _ routes: [String: OriginResponse] = ["/a": .body(sampleBytes(300_000))],
        _ body: (LoopbackOrigin, HTTPDataLoader) async throws -> Void
    ) async throws {
        let roots = try trusted.map { try HTTPDataLoader.TrustRoots(pem: $0.certificate) }
        let configuration = HTTPDataLoader.Configuration.with {
            $0.additionalTrustRoots = roots.map { [$0] } ?? []
        }
        try await withOrigin(routes, configuration, at: .init(identity: made.identity), body)
    }
}
