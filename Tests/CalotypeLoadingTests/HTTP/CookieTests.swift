import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import Testing

@testable import CalotypeLoading

@Suite(.timeLimit(.minutes(20)))
struct `Cookies` {
    /// Leads to itself with a cookie, and answers once that comes back.
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
        // The chain's cookies end with the chain.
        #expect(try await loader.data(origin.url("/a")) == sampleBytes(5))
        #expect(await cookies(origin) == [nil, "pass=1", nil, "pass=1"])
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a loader that keeps cookies sends them with later loads`() async throws {
        let origin = try await LoopbackOrigin.start(Self.guarded)
        let loader = HTTPDataLoader(.with { $0.keepsCookies = true })
        for _ in 1...2 { #expect(try await loader.data(origin.url("/a")) == sampleBytes(5)) }
        #expect(await cookies(origin) == [nil, "pass=1", "pass=1"])
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a cookie of the request and those of the chain go in one field`() async throws {
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

    @Test func `cookies of a load are gone for the next that uses its handle`() async throws {
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

    @Test func `a jar keeps a bounded number of cookies, the newest`() {
        let jar = CookieJar()
        let lines = (0..<1_200).map { "h.test\tFALSE\t/\tFALSE\t0\tname\($0)\tvalue" }
        for line in lines { jar.change([], to: [line]) }
        #expect(Set(jar.lines(for: "h.test")) == Set(lines.suffix(1_000)))
        #expect(jar.lines(for: "other.test").isEmpty)
        jar.change(lines, to: [])
        #expect(jar.lines(for: "h.test").isEmpty)
    }
}
