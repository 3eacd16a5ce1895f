import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct Methods {
    private func post(_ url: URL, _ body: Data? = Data("a picture, please".utf8)) -> FetchRequest {
        var request = FetchRequest(url: url, headers: [HeaderField("Content-Type", "text/plain")])
        (request.method, request.body) = ("POST", body)
        return request
    }

    @Test func `a body is sent with its length and type, and the next request is a plain GET`() async throws {
        try await withOrigin(["/a": .body(sampleBytes(5))]) { origin, loader async throws in
            #expect(try await loader.response(for: post(origin.url("/a"))).collected() == sampleBytes(5))
            let empty = post(origin.url("/a"), Data())
            #expect(try await loader.response(for: empty).collected() == sampleBytes(5))
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(5))
            let requests = await origin.activity.snapshot.requests
            #expect(requests.map(\.method) == ["POST", "POST", "GET"])
            #expect(requests.map { $0[header: "content-length"] } == ["17", "0", nil])
            #expect(requests.map { $0[header: "content-type"] } == ["text/plain", "text/plain", nil])
            #expect(requests.allSatisfy { $0[header: "expect"] == nil })
            var untyped = post(origin.url("/a"))
            untyped.headers = []
            _ = try await loader.response(for: untyped).collected()
            let last = await origin.activity.snapshot.requests.last
            #expect(last?[header: "content-type"] == nil, "it is not guessed")
        }
    }

    @Test func `a large body is sent whole, without Expect`() async throws {
        try await withOrigin(["/a": .body(sampleBytes(5))]) { origin, loader async throws in
            let request = post(origin.url("/a"), Data(count: 3 << 20))
            #expect(try await loader.response(for: request).collected() == sampleBytes(5))
            let requests = await origin.activity.snapshot.requests
            #expect(requests[0][header: "content-length"] == "\(3 << 20)")
        }
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func `a redirect preserves the method or changes it to GET`(status: Int, method: String) async throws {
        let routes = ["/a": OriginResponse.redirect(to: "/b", status: status), "/b": .body(sampleBytes(5))]
        try await withOrigin(routes) { origin, loader async throws in
            #expect(try await loader.response(for: post(origin.url("/a"))).collected() == sampleBytes(5))
            let requests = await origin.activity.snapshot.requests
            #expect(requests.map(\.method) == ["POST", method])
            #expect(requests[1][header: "content-type"] == (method == "POST" ? "text/plain" : nil))
        }
    }

    @Test func `no redirect sends a body to another origin`() async throws {
        let other = try await LoopbackOrigin.start(routes: ["/b": .body(sampleBytes(5))])
        let routes = ["/a": OriginResponse.redirect(to: other.url("/b").absoluteString, status: 307)]
        try await withOrigin(routes) { origin, loader async throws in
            let error = await failure { try await loader.response(for: post(origin.url("/a"))) }
            #expect(error?.code == .redirectRefused)
            #expect(await other.activity.snapshot.requests.isEmpty)
        }
        await other.close()
    }

    @Test(arguments: [
        "HEAD", "CONNECT", "trace", "", "GE T", "GET\r\nX: 1", String(repeating: "A", count: 33),
    ])
    func `an unsupported method is not sent`(method: String) async throws {
        try await withOrigin([:]) { origin, loader async throws in
            var request = FetchRequest(url: origin.url("/a"))
            request.method = method
            #expect(await failure { try await loader.response(for: request) }?.code == .invalidRequest)
            #expect(await origin.activity.snapshot.requests.isEmpty)
        }
    }
}
