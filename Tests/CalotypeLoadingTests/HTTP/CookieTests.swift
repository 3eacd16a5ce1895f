import CalotypeTesting
import CalotypeTransfer
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Cookies` {
    /// Redirects to itself with a cookie, and responds when the cookie is sent back.
    private static let guarded: LoopbackOrigin.Handler = { request in
        if request[header: "cookie"]?.contains("pass=1") == true { return .body(sampleBytes(5)) }
        var redirect = OriginResponse.redirect(to: request.target)
        redirect.headers.append(OriginField("Set-Cookie", "pass=1; Path=/; HttpOnly"))
        return redirect
    }

    private func cookies(_ origin: LoopbackOrigin) async -> [String?] {
        await origin.activity.snapshot.requests.map { $0[header: "cookie"] }
    }

    @Test func `a redirect to itself that sets a cookie ends in the image`() async throws {
        let origin = try await LoopbackOrigin.start(Self.guarded)
        let loader = HTTPDataLoader(.patient)
        #expect(try await loader.data(origin.url("/a")) == sampleBytes(5))
        #expect(await cookies(origin) == [nil, "pass=1"])
        // Cookies of a redirect chain end with the chain.
        #expect(try await loader.data(origin.url("/a")) == sampleBytes(5))
        #expect(await cookies(origin) == [nil, "pass=1", nil, "pass=1"])
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a loader with a cookie store sends cookies with later loads`() async throws {
        let origin = try await LoopbackOrigin.start(Self.guarded)
        let loader = HTTPDataLoader(.with { $0.storesCookies = true })
        for _ in 1...2 { #expect(try await loader.data(origin.url("/a")) == sampleBytes(5)) }
        #expect(await cookies(origin) == [nil, "pass=1", "pass=1"])
        await loader.shutdown()
        await origin.close()
    }

    @Test func `cookies of the request and of the redirect chain are sent in one field`() async throws {
        let origin = try await LoopbackOrigin.start(Self.guarded)
        let loader = HTTPDataLoader(.patient)
        let own = [HeaderField("Cookie", "mine=2")]
        #expect(try await loader.data(origin.url("/a"), headers: own) == sampleBytes(5))
        #expect(await cookies(origin) == ["mine=2", "pass=1; mine=2"])
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a cookie of one host is not sent to another`() async throws {
        let away = try await LoopbackOrigin.start(host: "::1") { _ in .body(sampleBytes(3)) }
        let routes = ["/a": OriginResponse.redirect(to: away.url("/").absoluteString)].mapValues { redirect in
            var redirect = redirect
            redirect.headers.append(OriginField("Set-Cookie", "secret=1; Path=/"))
            return redirect
        }
        try await withOrigin(routes) { origin, loader async throws in
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(3))
            #expect(await cookies(away) == [nil])
        }
        await away.close()
    }

    @Test func `a reused handle does not send cookies of the previous load`() async throws {
        let routes = ["/set": OriginResponse.body(sampleBytes(3)), "/next": .body(sampleBytes(4))].mapValues {
            var response = $0
            response.headers.append(OriginField("Set-Cookie", "stray=1; Path=/"))
            return response
        }
        try await withOrigin(routes) { origin, loader async throws in
            for path in ["/set", "/next", "/set"] { _ = try await loader.data(origin.url(path)) }
            #expect(await cookies(origin) == [nil, nil, nil])
        }
    }

    private static func line(_ name: String, _ value: String, domain: String = "h.test") -> CookieLine {
        CookieLine(Array("\(domain)\tFALSE\t/\tFALSE\t0\t\(name)\t\(value)".utf8))
    }

    @Test func `a jar stores the newest cookies up to a limit`() {
        let jar = CookieJar()
        let lines = (0..<1_200).map { Self.line("name\($0)", "value") }
        for line in lines { jar.change([], to: [line]) }
        #expect(Set(jar.lines(for: "h.test")) == Set(lines.suffix(1_000)))
        #expect(jar.lines(for: "other.test").isEmpty && jar.lines(for: "xh.test").isEmpty)
        #expect(jar.lines(for: "sub.h.test").count == 1_000)
        jar.change(lines, to: [])
        #expect(jar.lines(for: "h.test").isEmpty)
    }

    @Test func `a jar preserves cookies set by a concurrent response`() {
        let (jar, old, new) = (CookieJar(), Self.line("sid", "1"), Self.line("sid", "2"))
        jar.change([], to: [old])
        jar.change([old], to: [new])
        // An older response, whose request had the old cookie, sets another one.
        jar.change([old], to: [old, Self.line("theme", "x")])
        #expect(Set(jar.lines(for: "h.test")) == [new, Self.line("theme", "x")])
    }

    @Test func `a cookie that is not UTF-8 is returned unchanged`() async throws {
        let head = Data("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\nSet-Cookie: n=J".utf8)
        let answer = head + [0xFC] + Data("rg; Path=/\r\n\r\n".utf8)
        let origin = try await LoopbackOrigin.start { request in
            request.path == "/a" ? .raw(answer) : .body(sampleBytes(3))
        }
        let loader = HTTPDataLoader(.patient)
        #expect(try await loader.data(origin.url("/a")) == sampleBytes(3))
        // The origin of the tests replaces invalid UTF-8 once.
        #expect(await cookies(origin) == [nil, "n=J\u{FFFD}rg"])
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a cookie from an oversized header is not sent by the next load`() async throws {
        let fields = String(repeating: "X-Fill: \(String(repeating: "x", count: 1_000))\r\n", count: 80)
        let large = "HTTP/1.1 200 OK\r\n\(fields)Set-Cookie: stray=1; Path=/\r\nContent-Length: 0\r\n\r\n"
        let origin = try await LoopbackOrigin.start { request in
            request.path == "/a" ? .raw(Data(large.utf8)) : .body(sampleBytes(3))
        }
        let loader = HTTPDataLoader(.patient)
        #expect(await failure { try await loader.data(origin.url("/a")) }?.code == .invalidResponse)
        #expect(try await loader.data(origin.url("/b")) == sampleBytes(3))
        #expect(await cookies(origin) == [nil, nil])
        await loader.shutdown()
        await origin.close()
    }
}
