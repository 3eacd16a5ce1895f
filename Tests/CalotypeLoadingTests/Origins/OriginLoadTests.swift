import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Loads with credentials` {
    private static let token = "Token-0123456789"

    private func table(_ origins: (URL, String)...) throws -> OriginTable {
        var credentials: [OriginPattern: OriginCredentials] = [:]
        for (url, token) in origins {
            let pattern = try OriginPattern("http://\(url.host() ?? ""):\(url.port ?? 80)")
            credentials[pattern] = try OriginCredentials(headers: [.authorization(bearerToken: token)])
        }
        return try OriginTable(credentials)
    }

    private func authorizations(_ origin: LoopbackOrigin) async -> [String?] {
        await origin.activity.snapshot.requests.map { $0[header: "authorization"] }
    }

    @Test func `an origin gets its own credentials, another gets none, and each after a redirect its own`()
        async throws
    {
        let away = try await LoopbackOrigin.start { _ in .body(sampleBytes(3)) }
        let third = try await LoopbackOrigin.start { request in
            request.path == "/" ? .body(sampleBytes(4)) : .redirect(to: away.url("/").absoluteString)
        }
        let routes = [
            "/a": OriginResponse.body(sampleBytes(5)),
            "/away": .redirect(to: away.url("/").absoluteString),
            "/third": .redirect(to: third.url("/on").absoluteString),
        ]
        let origin = try await LoopbackOrigin.start(routes: routes)
        let origins = try table((origin.url("/"), Self.token), (third.url("/"), "third-token"))
        let loader = HTTPDataLoader(.with { $0.origins = origins })
        try await closing(origin, loader) { () async throws in
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(5))
            #expect(try await loader.data(origin.url("/away")) == sampleBytes(3))
            #expect(try await loader.data(origin.url("/third")) == sampleBytes(3))
            #expect(try await loader.data(third.url("/")) == sampleBytes(4))
        }
        #expect(await authorizations(origin) == Array(repeating: "Bearer \(Self.token)", count: 3))
        #expect(await authorizations(away) == [nil, nil])
        #expect(await authorizations(third) == ["Bearer third-token", "Bearer third-token"])
        await third.close()
        await away.close()
    }

    @Test func `the same server under another name is another origin`() async throws {
        let origin = try await LoopbackOrigin.start { request in
            let name = request[header: "host"] ?? ""
            guard request.path == "/a" else { return .body(sampleBytes(2)) }
            return .redirect(to: "http://localhost\(name.drop { $0 != ":" })/b")
        }
        let origins = try table((origin.url("/"), Self.token))
        let loader = HTTPDataLoader(.with { $0.origins = origins })
        try await closing(origin, loader) { () async throws in
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(2))
        }
        #expect(await authorizations(origin) == ["Bearer \(Self.token)", nil])
    }

    @Test func `an own cookie and those of a chain are sent in one field`() async throws {
        let origin = try await LoopbackOrigin.start { request in
            if request[header: "cookie"]?.contains("pass=1") == true { return .body(sampleBytes(2)) }
            var redirect = OriginResponse.redirect(to: request.target)
            redirect.headers.append(OriginField("Set-Cookie", "pass=1; Path=/"))
            return redirect
        }
        let headers = [HeaderField("Cookie", "account=7")]
        let origins = try OriginTable([
            OriginPattern("http://127.0.0.1:\(origin.port)"): try OriginCredentials(headers: headers)
        ])
        let loader = HTTPDataLoader(.with { $0.origins = origins })
        try await closing(origin, loader) { () async throws in
            #expect(try await loader.data(origin.url("/")) == sampleBytes(2))
        }
        let cookies = await origin.activity.snapshot.requests.map { $0[header: "cookie"] }
        #expect(cookies == ["account=7", "pass=1; account=7"])
    }

    @Test func `loads that begin after a change use the new credentials`() async throws {
        try await withOrigin(["/": .body(sampleBytes(3))]) { origin, _ async throws in
            let origins = try table((origin.url("/"), "first-token"))
            let pattern = try OriginPattern("http://127.0.0.1:\(origin.port)")
            let loader = HTTPDataLoader(.with { $0.origins = origins })
            let request = FetchRequest(url: origin.url("/"))
            _ = try await loader.data(origin.url("/"))
            let before = loader.cacheIdentity(for: request)
            let second = try OriginCredentials(headers: [.authorization(bearerToken: "second-token")])
            #expect(try origins.replace(with: [pattern: second]))
            #expect(try !origins.replace(with: [pattern: second]))
            #expect(loader.cacheIdentity(for: request) != before)
            _ = try await loader.data(origin.url("/"))
            #expect(try origins.replace(with: [:]))
            #expect(loader.cacheIdentity(for: request) == "")
            _ = try await loader.data(origin.url("/"))
            #expect(await authorizations(origin) == ["Bearer first-token", "Bearer second-token", nil])
            await loader.shutdown()
        }
    }

    private static func echoes() -> [String: OriginResponse] {
        var type = OriginResponse.body(sampleBytes(3), type: "\(token)/x")
        type.headers.append(OriginField("X-Echo", token))
        let long = String(repeating: "x", count: 60)
        let chunked = "Content-Type: image/png\r\nTransfer-Encoding: chunked"
        return [
            "/type": type,
            "/cut": .body(sampleBytes(3), type: "\(long)\(token)"),
            "/status": .status(403, text: "your token \(token) is not allowed"),
            "/scheme": .redirect(to: "\(token.lowercased()):x"),
            "/target": .redirect(to: "/denied/\(token)"),
            "/garbage": .raw(Data("\(token)\r\n\r\n".utf8)),
            "/version": .raw(Data("HTTP/\(token) 200 OK\r\n\r\n".utf8)),
            "/line": .raw(Data("HTTP/1.1 200 OK\r\n\(token)\r\n\r\n".utf8)),
            "/length": .raw(Data("HTTP/1.1 200 OK\r\nContent-Length: \(token)\r\n\r\n".utf8)),
            "/coding": .raw(
                Data("HTTP/1.1 200 OK\r\nContent-Encoding: \(token)\r\nContent-Length: 1\r\n\r\nx".utf8)
            ),
            "/chunk": .raw(Data("HTTP/1.1 200 OK\r\n\(chunked)\r\n\r\n\(token)\r\nx".utf8)),
        ]
    }

    @Test(arguments: echoes().keys.sorted())
    func `an origin that repeats a token does not put it into an error`(path: String) async throws {
        let origin = try await LoopbackOrigin.start(routes: Self.echoes())
        let origins = try table((origin.url("/"), Self.token))
        let loader = HTTPDataLoader(
            .with {
                $0.origins = origins
                $0.acceptedContentTypes = ["image/*"]
                $0.permitsRedirect = { !$0.path().hasPrefix("/denied") }
            }
        )
        try await closing(origin, loader) { () async throws in
            let error = await failure { try await loader.data(origin.url(path)) }
            let text = "\(String(describing: error)) \(error?.detail ?? "")".lowercased()
            #expect(!text.contains(Self.token.lowercased()), "\(text)")
            #expect(!text.contains("token-"), "\(text)")
        }
        #expect(await authorizations(origin).first == "Bearer \(Self.token)")
    }
}
