import CalotypeTransfer
import FoundationEssentials
import LoopbackOrigin
import Testing

@testable import CalotypeLoading

@Suite(.timeLimit(.minutes(20)))
struct `Loads through a proxy` {
    @Test func `the proxy is asked for a tunnel and the origin for the rest`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/a": .body(sampleBytes(70_000))])
        let proxy = try await LoopbackProxy.start(to: origin.port)
        let loader = HTTPDataLoader(.with { $0.proxy = .http(host: "127.0.0.1", port: proxy.port) })
        // The name is the proxy's to resolve; here it leads to the origin.
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

    @Test func `a proxy with a password gets it, and the origin does not`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        let authorization = "Basic " + Data("ann:s@cret".utf8).base64EncodedString()
        let proxy = try await LoopbackProxy.start(authorization: authorization, to: origin.port)
        let url = try #require(URL(string: "http://pictures.test/"))

        let settings = HTTPDataLoader.Proxy.http(
            host: "127.0.0.1",
            port: proxy.port,
            user: "ann",
            password: "s@cret"
        )
        #expect("\(settings)" == "127.0.0.1:\(proxy.port)")
        let loader = HTTPDataLoader(.with { $0.proxy = settings })
        #expect(try await loader.data(url) == sampleBytes(3))
        #expect(await origin.activity.snapshot.requests.first?[header: "proxy-authorization"] == nil)
        await loader.shutdown()

        let stranger = HTTPDataLoader(.with { $0.proxy = .http(host: "127.0.0.1", port: proxy.port) })
        let error = await failure { try await stranger.data(url) }
        #expect(error?.code == .connectionFailed)
        #expect(error?.detail.contains("password") == true)
        #expect(error?.detail.contains("127.0.0.1:\(proxy.port)") == true)
        await stranger.shutdown()
        await proxy.close()
        await origin.close()
    }

    @Test func `a proxy that is not there is named in the error`() async throws {
        let loader = HTTPDataLoader(.with { $0.proxy = .http(host: "127.0.0.1", port: 1) })
        let error = await failure {
            try await loader.data(try #require(URL(string: "http://pictures.test/")))
        }
        #expect(error?.code == .connectionFailed)
        #expect(error?.detail.hasPrefix("pictures.test through the proxy 127.0.0.1:1: ") == true)
        await loader.shutdown()
    }

    @Test func `what listens but is no SOCKS proxy fails the load`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [:])
        let loader = HTTPDataLoader(.with { $0.proxy = .socks(host: "127.0.0.1", port: origin.port) })
        let error = await failure {
            try await loader.data(try #require(URL(string: "http://pictures.test/")))
        }
        #expect(error?.code == .connectionFailed || error?.code == .connectionLost)
        await loader.shutdown()
        await origin.close()
    }

    @Test func `the address policy looks at the host, not at the proxy`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        let proxy = try await LoopbackProxy.start(to: origin.port)
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { name in
            [name == "public.test" ? .v4(0x5DB8_D70E) : .v4(0x0A00_0001)]
        }
        let configuration = HTTPDataLoader.Configuration.with {
            $0.proxy = .http(host: "127.0.0.1", port: proxy.port)
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
}
