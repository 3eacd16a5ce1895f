import CalotypeTransfer
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

/// Header fields of origins along a chain of redirects, without a network.
@Suite(.waiting)
struct `Credentials along redirects` {
    private func snapshot() throws -> OriginTable.Snapshot {
        var origins: [OriginPattern: OriginCredentials] = [:]
        for (text, key) in [
            ("https://a.test", "a"), ("https://b.test", "b"), ("http://a.test", "plain"),
            ("https://*.w.test", "w"),
        ] {
            let headers = [
                HeaderField("X-Key", key), HeaderField("User-Agent", "agent-\(key)"),
                HeaderField("Cookie", "sid=\(key)"),
            ]
            origins[try OriginPattern(text)] = try OriginCredentials(headers: headers)
        }
        return try OriginTable(origins).snapshot
    }

    private func hop(
        _ urls: [String],
        headers: [HeaderField] = [],
        _ configuration: HTTPDataLoader.Configuration = .init()
    ) throws -> HTTPHop {
        let first = FetchRequest(url: try #require(URL(string: urls[0])), headers: headers)
        var hop = try HTTPHop(first, configuration, try snapshot())
        for url in urls.dropFirst() {
            let head = try HTTPResponseHeader(status: 302, fields: [HeaderField("Location", url)])
            hop = try hop.redirected(by: head, maxCount: 9)
        }
        return hop
    }

    @Test(arguments: [
        (["https://a.test/"], "a"), (["https://a.test/", "/next"], "a"), (["HTTPS://A.TEST:443/"], "a"),
        (["https://a.test/", "https://b.test/"], "b"), (["https://c.test/", "https://b.test/"], "b"),
        (["https://a.test/", "https://b.test/", "https://a.test/"], "a"),
        (["https://x.w.test/", "https://y.w.test/"], "w"), (["http://a.test/", "https://a.test/"], "a"),
        // A different scheme, port, spelling of a root, or a host that only resembles one.
        (["https://a.test/", "https://a.test:8443/"], nil), (["https://a.test/", "https://a.test./"], nil),
        (["https://a.test/", "https://c.test/"], nil), (["https://a.test/", "//c.a.test/"], nil),
        (["https://a.test/", "https://a.test@c.test/"], nil),
        (["https://a.test/", "https://127.0.0.1/"], nil),
        (["https://x.w.test/", "https://w.test/"], nil), (["https://w.test.evil.test/"], nil),
        (["https://a.test/", "https://c.test/", "https://c.test/again"], nil),
    ])
    func `each origin gets its own fields, and none of another`(urls: [String], key: String?) throws {
        let fields = try hop(urls).fields
        #expect(fields.filter { $0.name == "X-Key" }.map(\.value) == (key.map { [$0] } ?? []))
        #expect(fields["Cookie"] == key.map { "sid=\($0)" })
        #expect(fields["User-Agent"] == key.map { "agent-\($0)" } ?? "Calotype")
    }

    @Test func `fields named for forwarding are those of the request, never those of an origin`() throws {
        var configuration = HTTPDataLoader.Configuration()
        configuration.forwardedHeaderNames = ["X-Key", "Cookie", "X-Own"]
        let chain = ["https://a.test/", "https://c.test/"]
        #expect(try hop(chain, configuration).fields["X-Key"] == nil)
        let own = [HeaderField("x-key", "mine"), HeaderField("X-Own", "1")]
        let fields = try hop(chain, headers: own, configuration).fields
        #expect(fields["X-Key"] == "mine" && fields["X-Own"] == "1" && fields["Cookie"] == nil)
    }

    @Test func `fields of a request, and the user of a URL, replace those of the origin`() throws {
        let own = [HeaderField("x-KEY", "mine"), HeaderField("user-agent", "me")]
        let fields = try hop(["https://a.test/"], headers: own).fields
        #expect(fields.filter { $0.isNamed("x-key") }.map(\.value) == ["mine"])
        #expect(fields["User-Agent"] == "me" && fields["Cookie"] == "sid=a")

        let credentials = try OriginCredentials(headers: [.authorization(bearerToken: "token")])
        let table = try OriginTable([OriginPattern("https://a.test"): credentials])
        for (url, value) in [("https://u:p@a.test/", "Basic dTpw"), ("https://a.test/", "Bearer token")] {
            let request = FetchRequest(url: try #require(URL(string: url)))
            #expect(try HTTPHop(request, .init(), table.snapshot).fields["Authorization"] == value)
        }
    }

    @Test func `a referer is sent to every origin, unless one has its own`() throws {
        var configuration = HTTPDataLoader.Configuration()
        configuration.referer = "https://shop.example/"
        let chain = ["https://a.test/", "https://c.test/"]
        #expect(try hop(chain, configuration).fields["Referer"] == "https://shop.example/")
        let headers = [HeaderField("Referer", "https://own.example/")]
        let table = try OriginTable([
            OriginPattern("https://a.test"): try OriginCredentials(headers: headers)
        ])
        let request = FetchRequest(url: try #require(URL(string: "https://a.test/")))
        let fields = try HTTPHop(request, configuration, table.snapshot).fields
        #expect(fields.filter { $0.isNamed("referer") } == headers)
    }

    @Test func `certificates are those of the hop's origin`() throws {
        var credentials = try OriginCredentials()
        credentials.trustRoots = try HTTPDataLoader.TrustRoots(pem: try TestCertificate().certificate)
        let table = try OriginTable([OriginPattern("https://a.test"): credentials])
        let loader = HTTPDataLoader(.patient)
        var hop = try HTTPHop(
            FetchRequest(url: try #require(URL(string: "https://a.test/"))),
            .init(),
            table.snapshot
        )
        func tls(_ hop: HTTPHop) -> Bool {
            loader.transferRequest(hop, through: nil, maxByteCount: 1, within: .seconds(1)).tls != nil
        }
        #expect(tls(hop))
        let head = try HTTPResponseHeader(status: 302, fields: [HeaderField("Location", "https://b.test/")])
        hop = try hop.redirected(by: head, maxCount: 1)
        #expect(!tls(hop))
    }
}
