import CalotypeTransfer
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Loads through a proxy` {
    @Test func `a tunnel through the proxy carries the request to the origin`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/a": .body(sampleBytes(70_000))])
        let proxy = try await LoopbackProxy.start(to: origin.port)
        let loader = HTTPDataLoader(.with { $0.proxy = .tunnel(proxy.port) })
        // The proxy resolves the name; here it leads to the origin.
        let url = try #require(URL(string: "http://pictures.test/a"))
        #expect(try await loader.data(url) == sampleBytes(70_000))
        #expect(try await loader.data(url) == sampleBytes(70_000))

        let request = try #require(await proxy.requests.first { _ in true })
        #expect(request.first == "CONNECT pictures.test:80 HTTP/1.1")
        let received = await origin.activity.snapshot
        #expect(received.requests.map(\.target) == ["/a", "/a"])
        #expect(received.requests.first?[header: "host"] == "pictures.test")
        #expect(received.openedCount == 1)
        await loader.shutdown()
        await proxy.close()
        await origin.close()
    }

    @Test func `a proxy password is sent to the proxy and not to the origin`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        let authorization = "Basic " + Data("ann:s@cret".utf8).base64EncodedString()
        let proxy = try await LoopbackProxy.start(authorization: authorization, to: origin.port)
        let url = try #require(URL(string: "http://pictures.test/"))

        var settings = HTTPDataLoader.Proxy.http(
            host: "127.0.0.1",
            port: proxy.port,
            user: "ann",
            password: "s@cret"
        )
        settings.tunnelsPlainHTTP = true
        #expect("\(settings)" == "127.0.0.1:\(proxy.port)")
        let loader = HTTPDataLoader(.with { $0.proxy = settings })
        #expect(try await loader.data(url) == sampleBytes(3))
        #expect(await origin.activity.snapshot.requests.first?[header: "proxy-authorization"] == nil)
        await loader.shutdown()

        let stranger = HTTPDataLoader(.with { $0.proxy = .tunnel(proxy.port) })
        let error = await failure { try await stranger.data(url) }
        #expect(error?.code == .connectionFailed)
        #expect(error?.detail.contains("password") == true)
        #expect(error?.detail.contains("127.0.0.1:\(proxy.port)") == true)
        await stranger.shutdown()
        await proxy.close()
        await origin.close()
    }

    @Test func `an unreachable proxy is named in the error`() async throws {
        let loader = HTTPDataLoader(.with { $0.proxy = .http(host: "127.0.0.1", port: 1) })
        let error = await failure {
            try await loader.data(try #require(URL(string: "http://pictures.test/")))
        }
        #expect(error?.code == .connectionFailed)
        #expect(error?.detail.hasPrefix("pictures.test through the proxy 127.0.0.1:1: ") == true)
        await loader.shutdown()
    }

    @Test func `a server that does not speak SOCKS fails the load`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [:])
        let loader = HTTPDataLoader(.with { $0.proxy = .socks(host: "127.0.0.1", port: origin.port) })
        let error = await failure {
            try await loader.data(try #require(URL(string: "http://pictures.test/")))
        }
        #expect(error?.code == .connectionFailed || error?.code == .connectionLost)
        await loader.shutdown()
        await origin.close()
    }

    @Test func `the address policy applies to the host, not to the proxy`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        let proxy = try await LoopbackProxy.start(to: origin.port)
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { name in
            [name == "public.test" ? .v4(0x5DB8_D70E) : .v4(0x0A00_0001)]
        }
        let configuration = HTTPDataLoader.Configuration.with {
            $0.proxy = .tunnel(proxy.port)
            $0.addressPolicy = .publicOnly
        }
        let loader = HTTPDataLoader(configuration, surroundings)
        #expect(try await loader.data(try #require(URL(string: "http://public.test/"))) == sampleBytes(3))
        for host in ["inner.test", "127.0.0.1", "[::1]"] {
            let url = try #require(URL(string: "http://\(host)/"))
            #expect(await failure { try await loader.data(url) }?.code == .addressRefused)
        }
        #expect(await origin.activity.snapshot.requests.count == 1)
        await loader.shutdown()
        await proxy.close()
        await origin.close()
    }

    // Squid does not allow tunnels to port 80 by default.
    @Test func `plain HTTP is sent to the proxy with the whole URL, without a tunnel`() async throws {
        let target = "http://pictures.test/a?b=1"
        let proxy = try await LoopbackOrigin.start(routes: [target: .body(sampleBytes(70_000))])
        let loader = HTTPDataLoader(
            .with { $0.proxy = .http(host: "127.0.0.1", port: proxy.port, user: "ann", password: "s@cret") }
        )
        let url = try #require(URL(string: target))
        #expect(try await loader.data(url) == sampleBytes(70_000))
        let received = await proxy.activity.snapshot.requests
        #expect(received.map(\.target) == [target])
        #expect(received.first?[header: "host"] == "pictures.test")
        let authorization = "Basic " + Data("ann:s@cret".utf8).base64EncodedString()
        #expect(received.first?[header: "proxy-authorization"] == authorization)
        await loader.shutdown()
        await proxy.close()
    }

    @Test func `the proxy of the environment is used only if configured`() async throws {
        let proxy = try await LoopbackOrigin.start(routes: ["http://pictures.test/": .body(sampleBytes(3))])
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.environment = ["http_proxy": "127.0.0.1:\(proxy.port)"]
        surroundings.resolve = { _ in throw FetchError(.hostNotFound, detail: "no such name") }
        let url = try #require(URL(string: "http://pictures.test/"))
        let loader = HTTPDataLoader(.with { $0.usesEnvironmentProxies = true }, surroundings)
        #expect(try await loader.data(url) == sampleBytes(3))
        let own = HTTPDataLoader(.with { _ in }, surroundings)
        #expect(await failure { try await own.data(url) }?.code == .hostNotFound)
        let service = HTTPDataLoader(
            .with {
                $0.usesEnvironmentProxies = true
                $0.addressPolicy = .publicOnly
            },
            surroundings
        )
        #expect(await failure { try await service.data(url) }?.code == .hostNotFound)
        for loader in [loader, own, service] { await loader.shutdown() }
        await proxy.close()
    }
}

@Suite(.gated) struct ProxyRulesTests {
    private func proxy(for text: String, _ environment: [String: String]) throws -> String? {
        let rules = ProxyRules(.with { $0.usesEnvironmentProxies = true }, environment: environment)
        return try rules.proxy(for: HTTPAddress(#require(URL(string: text)))).map { "\($0)" }
    }

    @Test func `each scheme has its variable, and one variable applies to all`() throws {
        let environment = [
            "http_proxy": "http://a.test:1", "HTTPS_PROXY": "b.test:2", "all_proxy": "socks5h://c.test",
        ]
        #expect(try proxy(for: "http://x.test/", environment) == "a.test:1")
        #expect(try proxy(for: "https://x.test/", environment) == "b.test:2")
        #expect(try proxy(for: "https://x.test/", ["ALL_PROXY": "socks5://c.test"]) == "c.test:1080")
        #expect(try proxy(for: "http://x.test/", ["http_proxy": ""]) == nil)
    }

    // CVE-2016-5385: under CGI a client's header field `Proxy` becomes HTTP_PROXY.
    @Test func `HTTP_PROXY in capitals is ignored`() throws {
        #expect(try proxy(for: "http://x.test/", ["HTTP_PROXY": "evil.test:1"]) == nil)
    }

    @Test(arguments: [
        ("x.test", true), (".test", true), ("test", true), ("*.x.test", true), ("est", false),
        ("y.x.test", false),
        ("*", true), ("a.test, x.test", true), ("a.test x.test", true), ("x.test:80", true),
        ("x.test:81", false),
        ("X.TEST", true), ("", false), ("10.0.0.0/8", false),
    ])
    func `hosts may be excluded`(exceptions: String, isStraight: Bool) throws {
        let environment = ["http_proxy": "a.test:1", "no_proxy": exceptions]
        #expect(try proxy(for: "http://x.test/", environment) == (isStraight ? nil : "a.test:1"))
    }

    @Test func `addresses may be excluded by ranges`() throws {
        let environment = ["http_proxy": "a.test:1", "NO_PROXY": "10.0.0.0/8,::1"]
        #expect(try proxy(for: "http://10.1.2.3/", environment) == nil)
        #expect(try proxy(for: "http://11.1.2.3/", environment) == "a.test:1")
        #expect(try proxy(for: "http://[::1]/", environment) == nil)
    }

    @Test(arguments: [
        "https://a.test:1", "ftp://a.test", "http://", "socks5://u:p@a.test", "http://a.test:99999",
    ])
    func `an invalid proxy fails the load instead of being bypassed`(text: String) throws {
        let error = #expect(throws: FetchError.self) {
            try proxy(for: "http://x.test/", ["http_proxy": text])
        }
        #expect(error?.detail.contains("http_proxy") == true)
        #expect(error?.detail.contains("u:p") == false)
    }
}

extension HTTPDataLoader.Proxy {
    /// A local proxy that is used for tunnels only.
    fileprivate static func tunnel(_ port: Int) -> HTTPDataLoader.Proxy {
        var proxy = HTTPDataLoader.Proxy.http(host: "127.0.0.1", port: port)
        proxy.tunnelsPlainHTTP = true
        return proxy
    }
}
