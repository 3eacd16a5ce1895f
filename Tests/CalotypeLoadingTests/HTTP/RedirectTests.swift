import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct Redirects {
    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is followed, and the last URL is the response's`(status: Int) async throws {
        let routes = [
            "/a/b": OriginResponse.redirect(to: "../c?d=e#f", status: status),
            "/c?d=e": .body(sampleBytes(5)),
        ]
        try await withOrigin(routes) { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/a/b")))
            #expect(response.url == origin.url("/c?d=e"))
            #expect(try await response.collected() == sampleBytes(5))
        }
    }

    @Test func `five redirects are followed, and the sixth is refused`() async throws {
        var routes = ["/6": OriginResponse.body(Data())]
        for number in 0..<6 { routes["/\(number)"] = .redirect(to: "/\(number + 1)") }
        try await withOrigin(routes) { origin, loader async throws in
            let bytes = try await loader.data(origin.url("/1"))
            #expect(bytes.isEmpty)
            #expect(await failure { try await loader.data(origin.url("/0")) }?.code == .redirectRefused)
        }
    }

    @Test func `an unpermitted redirect is not followed, and no request is sent there`() async throws {
        let routes = [
            "/a": OriginResponse.redirect(to: "/good"), "/good": .redirect(to: "/bad"), "/bad": .body(Data()),
        ]
        var configuration = HTTPDataLoader.Configuration.patient
        configuration.permitsRedirect = { $0.path() == "/good" }
        try await withOrigin(routes, configuration) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/a")) }
            #expect(error?.code == .redirectRefused && error?.status == 302)
            #expect(await origin.activity.snapshot.requests.map(\.path) == ["/a", "/good"])
        }
    }

    @Test func `a request may permit redirects by its own rule, beside the configuration`() async throws {
        let routes = [
            "/a": OriginResponse.redirect(to: "/good"), "/good": .body(sampleBytes(3)),
            "/b": .redirect(to: "/bad"), "/bad": .body(Data()),
        ]
        try await withOrigin(routes) { origin, loader async throws in
            func request(_ path: String) -> FetchRequest {
                var request = FetchRequest(url: origin.url(path))
                request.permitsRedirect = { $0.path() == "/good" }
                return request
            }
            #expect(try await loader.response(for: request("/a")).collected() == sampleBytes(3))
            let error = await failure { try await loader.response(for: request("/b")).collected() }
            #expect(error?.code == .redirectRefused && error?.status == 302)
            #expect(await origin.activity.snapshot.requests.map(\.path) == ["/a", "/good", "/b"])
        }
    }

    @Test func `redirects are counted`() async throws {
        let routes = [
            "/0": OriginResponse.redirect(to: "/1"), "/1": .redirect(to: "/2"), "/2": .body(Data()),
        ]
        try await withOrigin(routes) { origin, loader async throws in
            var request = FetchRequest(url: origin.url("/0"))
            let tally = FetchTally()
            request.tally = tally
            _ = try await loader.response(for: request)
            #expect(tally.counts.redirectCount == 2)
        }
    }

    @Test func `a redirect loop ends`() async throws {
        try await withOrigin(["/a": .redirect(to: "/b"), "/b": .redirect(to: "/a")]) {
            origin,
            loader async throws in
            #expect(await failure { try await loader.data(origin.url("/a")) }?.code == .redirectRefused)
            #expect(await origin.activity.snapshot.requests.count == 6)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "data:,x", "ftp://127.0.0.1/", "gopher://127.0.0.1:70/"])
    func `no redirect leads to another scheme`(location: String) async throws {
        try await withOrigin(["/": .redirect(to: location)]) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .redirectRefused)
            #expect(error?.status == 302)
        }
    }

    @Test func `a redirect without a usable target is an invalid response`() async throws {
        let routes = ["/none": OriginResponse(status: 302), "/bad": .redirect(to: "http://[::1/")]
        try await withOrigin(routes) { origin, loader async throws in
            for path in routes.keys {
                #expect(
                    await failure { try await loader.data(origin.url(path)) }?.code == .invalidResponse,
                    "\(path)"
                )
            }
        }
    }

    @Test func `only named fields without secrets are sent to another origin`() async throws {
        let away = try await LoopbackOrigin.start(routes: ["/": .body(Data())])
        let routes = [
            "/away": OriginResponse.redirect(to: away.url("/").absoluteString),
            "/home": .redirect(to: "/away"),
        ]
        let headers = [
            HeaderField("authorization", "Bearer x"), HeaderField("Cookie", "a=b"),
            HeaderField("Proxy-Authorization", "y"), HeaderField("X-Api-Key", "z"),
            HeaderField("Private-Token", "z"), HeaderField("X-Extra", "1"),
            HeaderField("accept-language", "de"), HeaderField("RANGE", "bytes=0-"),
        ]
        try await withOrigin(routes, .with { $0.forwardedHeaderNames = ["x-EXTRA"] }) {
            origin,
            loader async throws in
            _ = try await loader.data(origin.url("/home"), headers: headers)
            for request in await origin.activity.snapshot.requests {
                #expect(request[header: "authorization"] == "Bearer x")
                #expect(request[header: "cookie"] == "a=b")
                #expect(request[header: "x-api-key"] == "z")
            }
        }
        let request = try #require(await away.activity.snapshot.requests.first)
        for name in ["authorization", "cookie", "proxy-authorization", "x-api-key", "private-token"] {
            #expect(request[header: name] == nil)
        }
        #expect(request[header: "accept-language"] == "de")
        #expect(request[header: "range"] == "bytes=0-")
        #expect(request[header: "user-agent"] == "Calotype")
        #expect(request[header: "x-extra"] == "1")
        await away.close()
    }

    @Test(arguments: [
        ("https://a.test/", "http://a.test/", false), ("http://a.test/", "https://a.test/", true),
        ("https://a.test/", "HTTPS://b.test/", true), ("https://a.test/", "//b.test/", true),
    ])
    func `no redirect leads from https to http`(from: String, to: String, isFollowed: Bool) throws {
        let hop = try HTTPHop(FetchRequest(url: try #require(URL(string: from))), .init())
        let head = try HTTPResponseHeader(status: 301, fields: [HeaderField("location", to)])
        let next = Result { () throws(FetchError) in try hop.redirected(by: head, maxCount: 1) }
        switch next {
        case .success(let next):
            #expect(isFollowed)
            #expect(next.url.scheme?.lowercased() == "https")
        case .failure(let error):
            #expect(!isFollowed)
            #expect(error.code == .redirectRefused)
        }
    }

    @Test(arguments: [
        ("https://a.test/", "https://a.test:8443/"), ("http://a.test/", "http://a.test:8080/"),
        ("http://a.test/", "http://b.a.test/"),
    ])
    func `another scheme, port or host counts as another origin`(from: String, to: String) throws {
        let request = FetchRequest(
            url: try #require(URL(string: from)),
            headers: [HeaderField("Cookie", "a=b")]
        )
        let hop = try HTTPHop(request, .init())
        let away = try hop.redirected(
            by: HTTPResponseHeader(status: 302, fields: [HeaderField("Location", to)]),
            maxCount: 5
        )
        let back = try away.redirected(
            by: HTTPResponseHeader(status: 302, fields: [HeaderField("Location", from)]),
            maxCount: 5
        )
        #expect(hop.fields.contains { $0.name == "Cookie" })
        #expect(!away.fields.contains { $0.name == "Cookie" })
        #expect(!back.fields.contains { $0.name == "Cookie" }, "once dropped, they stay dropped")
    }

    @Test func `name and password of a redirect's target are neither sent nor shown`() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let hop = try HTTPHop(FetchRequest(url: url), .init())
        let head = try HTTPResponseHeader(
            status: 302,
            fields: [HeaderField("Location", "http://u:p@b.test/x")]
        )
        let next = try hop.redirected(by: head, maxCount: 1)
        #expect(next.url.absoluteString == "http://b.test/x")
        #expect(!next.fields.contains { $0.name == "Authorization" })
    }
}
