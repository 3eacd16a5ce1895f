import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `Unusual URLs` {
    @Test func `an IPv6 origin is loaded from`() async throws {
        try await withOrigin(["/": .body(sampleBytes(9))], host: "::1") {
            origin,
            loader async throws in
            #expect(origin.url("/").absoluteString == "http://[::1]:\(origin.port)/")
            #expect(try await loader.data(origin.url("/")) == sampleBytes(9))
            #expect(await origin.activity.snapshot.requests.first?[header: "host"] == "[::1]:\(origin.port)")
        }
    }

    @Test(arguments: [
        ("/a%20b.png", "/a%20b.png"), ("/%2e%2e/%2F", "/%2e%2e/%2F"), ("/a%00b", "/a%00b"),
        ("/über/日本.png", "/%C3%BCber/%E6%97%A5%E6%9C%AC.png"), ("/a?q=ä", "/a?q=%C3%A4"),
        ("/a?r=%20+&s=%C3%A4", "/a?r=%20+&s=%C3%A4"),
        ("/a;b=c,d@e:f!$'()*", "/a;b=c,d@e:f!$'()*"), ("//double//slash", "//double//slash"), ("", "/"),
        ("?q", "/?q"), ("/a#fragment", "/a"),
    ])
    func `paths are sent as written, encoded where required`(
        path: String,
        target: String
    ) async throws {
        let origin = try await LoopbackOrigin.start { _ in .body(sampleBytes(3)) }
        let loader = HTTPDataLoader(.patient)
        let url = try #require(URL(string: "http://127.0.0.1:\(origin.port)\(path)"))
        #expect(try await loader.data(url) == sampleBytes(3))
        let targets = await origin.activity.snapshot.requests.map(\.target)
        #expect(targets == [target], "\(targets)")
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a path whose bytes are not UTF-8 is sent as written`() async throws {
        try await withOrigin(["/%ff%fe.png": .body(sampleBytes(3))]) { origin, loader async throws in
            #expect(try await loader.data(origin.url("/%ff%fe.png")) == sampleBytes(3))
        }
    }

    @Test(arguments: ["http://bücher.invalid/", "http://日本.invalid/a", "http://xn--bcher-kva.invalid/"])
    func `a host name that is not ASCII is an error that names it`(text: String) async throws {
        try await withOrigin([:]) { _, loader async throws in
            let url = try #require(URL(string: text))
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .hostNotFound || error?.code == .invalidURL)
            #expect(error?.detail.isEmpty == false)
        }
    }
}
