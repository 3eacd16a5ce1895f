import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Validators and ranges, which belong to the URL that sent them, also behind redirects.
@Suite(.gated)
struct ValidatorOwnershipTests {
    private static func picture(_ name: String) -> Data {
        FakeImageDecoder.data(width: 8, height: 8, suffix: name + String(repeating: name, count: 40_000))
    }

    /// A response of a target whose validators equal those of every other target.
    private static func answer(_ request: OriginRequest, _ name: String) -> OriginResponse {
        let fields = [
            OriginField("ETag", "\"same\""), OriginField("Cache-Control", "max-age=0"),
            OriginField("Last-Modified", "Tue, 02 Jan 2024 00:00:00 GMT"),
        ]
        if request[header: "if-none-match"] != nil || request[header: "if-modified-since"] != nil {
            return OriginResponse(status: 304, headers: fields)
        }
        var response = OriginResponse.body(picture(name))
        response.headers += fields
        return response
    }

    /// An origin whose `/r` redirects to the given target, `/a` or `/b`.
    private static func origin(_ target: SharedState<String>) -> LoopbackOrigin.Handler {
        { request in
            switch request.path {
            case "/r": .redirect(to: target.value)
            case "/a", "/b": answer(request, request.path)
            default: .status(404)
            }
        }
    }

    @Test func `a redirect to another target returns the image of that target`() async throws {
        let target = SharedState("/a")
        try await HTTPBench.with(origin: Self.origin(target)) { bench async throws in
            let request = bench.request("/r") { $0.httpCaching = .respectsHTTP }
            #expect(try await bench.pipeline.data(for: request).data == Self.picture("/a"))
            target.withLock { $0 = "/b" }
            #expect(try await bench.pipeline.data(for: request).data == Self.picture("/b"))
        }
    }

    @Test func `a redirect target is revalidated with its own validators`() async throws {
        let target = SharedState("/a")
        try await HTTPBench.with(origin: Self.origin(target)) { bench async throws in
            let request = bench.request("/r") { $0.httpCaching = .respectsHTTP }
            for _ in 1...2 {
                #expect(try await bench.pipeline.data(for: request).data == Self.picture("/a"))
            }
            let requests = await bench.origin.activity.snapshot.requests
            #expect(requests.map(\.path) == ["/r", "/a", "/r", "/a"])
            #expect(requests.map { $0[header: "if-none-match"] } == [nil, nil, nil, "\"same\""])
        }
    }

    @Test func `a redirect target is not sent the validators of the redirecting URL`() async throws {
        let redirects = SharedState(false)
        let handler: LoopbackOrigin.Handler = { request in
            request.path == "/a" && redirects.value
                ? .redirect(to: "/b") : Self.answer(request, request.path)
        }
        try await HTTPBench.with(origin: handler) { bench async throws in
            let request = bench.request("/a") { $0.httpCaching = .respectsHTTP }
            #expect(try await bench.pipeline.data(for: request).data == Self.picture("/a"))
            redirects.withLock { $0 = true }
            #expect(try await bench.pipeline.data(for: request).data == Self.picture("/b"))
            let last = try #require(await bench.origin.activity.snapshot.requests.last)
            #expect(last.path == "/b" && last[header: "if-none-match"] == nil)
        }
    }

    @Test func `a 304 of another URL than the requested one is ignored`() async throws {
        let bench = PipelineBench { request, _ in
            // A loader that follows redirects by itself and forwards the header fields.
            let target = try #require(URL(string: "https://elsewhere.test/\(request.headers.count)"))
            let isConditional = request.headers.contains { $0.name == "If-None-Match" }
            let fields = ["ETag": "\"same\"", "Cache-Control": "max-age=0"]
            if isConditional { return .network(target, status: 304, fields) }
            let url = request.headers.isEmpty ? request.url : target
            return .network(url, FakeImageDecoder.data(width: 4, height: 4), fields)
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        for _ in 1...3 { #expect(try await bench.pipeline.load(request).source == .network) }
        #expect(bench.sent("If-None-Match") == [nil, "\"same\"", nil, "\"same\"", nil])
    }

    @Test func `an interrupted body is resumed only from its own URL`() async throws {
        let target = SharedState("/a")
        let whole = [Self.picture("/a"), Self.picture("/b")]
        let handler: LoopbackOrigin.Handler = { request in
            if request.path == "/r" { return .redirect(to: target.value) }
            let body = request.path == "/a" ? whole[0] : whole[1]
            let tag = OriginField("ETag", "\"same\"")
            if let range = request[header: "range"], let start = Int(range.dropFirst(6).dropLast()) {
                let fields = [
                    tag, OriginField("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)"),
                ]
                return OriginResponse(status: 206, headers: fields, steps: [.bytes(body.dropFirst(start))])
            }
            if target.withLock({ target in
                defer { target = "/b" }
                return target == "/b"
            }) {
                var response = OriginResponse.body(body)
                response.headers.append(tag)
                return response
            }
            var broken = OriginResponse.body(body, resetAfter: body.count / 2)
            broken.headers.append(tag)
            return broken
        }
        try await HTTPBench.with(origin: handler) { bench async throws in
            let data = try await bench.pipeline.data(for: bench.request("/r")).data
            #expect(data == whole[1], "two targets must not be joined")
        }
    }
}
