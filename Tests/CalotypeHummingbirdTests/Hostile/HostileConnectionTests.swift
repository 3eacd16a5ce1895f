import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeHummingbird

private let picturePath = "/unsafe/w:30/plain/http://src.test/photo.jpg"

private func get(_ target: String = picturePath, _ fields: String...) -> String {
    let lines = ["GET \(target) HTTP/1.1", "Host: a.test"] + fields + ["Connection: close"]
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
}

/// A complete service behind its listener, with hostile clients over sockets.
@Suite(.waiting) struct HostileConnectionTests {
    private static func service(_ loader: any DataLoader) -> ImageService {
        let cache = ImageCache(stores: [FakeByteStore()], codecs: .publicWeb)
        let pipeline = ImageService.pipeline(.init(cache: cache, loader: loader))
        return ImageService(pipeline: pipeline, configuration: .patient)
    }

    private static func responder(_ loader: (any DataLoader)? = nil) throws -> Listener.Responder {
        let data = try JPEGEncoder(quality: 90).encode(
            TestImages.photograph(PixelSize(width: 120, height: 90))
        )
        let good = ScriptedDataLoader { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        let responder = ServiceResponder(service(loader ?? good))
        return { try await responder.response(to: $0) }
    }

    /// The responses to the given bytes, and to a valid request afterwards.
    private func exchange(_ text: String) async throws -> (hostile: String, next: String) {
        try await ListenerBench.run(answer: try Self.responder()) { port, _ in
            let hostile = try await RawClient.connect(port).exchange([text])
            return (hostile, try await RawClient.connect(port).exchange([get()]))
        }
    }

    /// The response of a listener with short timeouts; expects no open connection afterwards.
    private func hastyExchange(_ text: String) async throws -> String {
        var limits = ListenerLimits()
        limits.headerTimeout = .milliseconds(200)
        return try await ListenerBench.run(limits, answer: try Self.responder()) { port, listener in
            let received = try await RawClient.connect(port).exchange([text])
            while listener.connectionCount > 0 { await Task.yield() }
            return received
        }
    }

    private static func statuses(_ received: String) -> [Substring] {
        received.ranges(of: "HTTP/1.1 ").map { received[$0.upperBound...].prefix(3) }
    }

    @Test(arguments: [
        "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd", "Content-Length: 4, 5\r\n\r\nabcd",
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "Content-Length: -1\r\n\r\n", "Content-Length: +4\r\n\r\nabcd", "Content-Length: 0x4\r\n\r\nabcd",
        "Content-Length: 99999999999999999999\r\n\r\nabcd", "Content-Length : 4\r\n\r\nabcd",
        "Content-Length\r\n: 4\r\n\r\nabcd", "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\n5 5\r\nabcde\r\n0\r\n\r\n", "X: a\0b\r\n\r\n", "X\0: b\r\n\r\n",
        "X: a\rb\r\n\r\n",
    ])
    func `a request of ambiguous length is refused once, and the bytes after it are not answered`(
        tail: String
    )
        async throws
    {
        let text = "POST \(picturePath) HTTP/1.1\r\nHost: a.test\r\n\(tail)" + get("/smuggled/w:9/x")
        let (hostile, next) = try await exchange(text)
        #expect(Self.statuses(hostile) == ["400"], "\(hostile)")
        #expect(Self.statuses(next) == ["200"])
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\r\n\r\n\r\n\u{0}\r\n\r\n",
        "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "SSH-2.0-x\r\n\r\n",
        "GET \(picturePath) HTTP/1.1\nHost", String(repeating: "A", count: 300_000),
        "GET / HTTP/1.1\r\n"
            + String(repeating: "X: \(String(repeating: "y", count: 1_000))\r\n", count: 200),
        "GET / HTTP/1.1\r\n\(String(repeating: "a", count: 200_000)): 1\r\n\r\n",
    ])
    func `garbage gets an error or no response, and the connection is closed`(text: String) async throws {
        let statuses = Self.statuses(try await hastyExchange(text)).joined()
        #expect(["", "400", "431", "505"].contains(statuses), "\(statuses)")
    }

    @Test(arguments: [
        "", "G", "GET /a", "GET /a HTTP/1.1\r\nHost: a", "GET /a HTTP/1.1\r\nHost: a.test\r\nX: ",
        "POST /a HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nabc",
        "POST /a HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ])
    func `an endless header or body is cut off`(text: String) async throws {
        #expect(try await hastyExchange(text) == "")
    }

    @Test func `one byte a second does not extend the body timeout`() throws {
        let channel = EmbeddedChannel(handler: ConnectionGuard(ListenerLimits(), ClientPresence()))
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a.test", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        var seconds = 0
        while channel.isActive, seconds < 60 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            seconds += 1
            if channel.isActive {
                try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
            }
        }
        #expect((10...11).contains(seconds))
    }

    @Test func `a client that does not read a large response is cut off, without leftovers`() async throws {
        var limits = ListenerLimits()
        limits.writeTimeout = .milliseconds(200)
        limits.minBytesPerSecond = .max
        let large = ByteBuffer(repeating: 0, count: 64 << 20)
        let isAsked = AsyncGate()
        try await ListenerBench.run(
            limits,
            answer: { _ in
                isAsked.open()
                return ListenerResponse(head: HTTPResponse(status: .ok), body: large)
            }
        ) { port, listener in
            try await RawClient.connect(port).leave(after: get("/large")) {
                // The response is sent but never read, and then the connection is closed.
                await isAsked.wait()
                while listener.connectionCount > 0 { await Task.yield() }
            }
        }
    }

    @Test func `a disconnecting client cancels a load without other waiters`() async throws {
        let (hasBegun, body) = (AsyncGate(), PacedBody())
        let loader = ScriptedDataLoader { request, _ in
            hasBegun.open()
            return FetchResponse(
                origin: .network,
                url: request.url,
                status: 200,
                headers: [],
                expectedByteCount: nil,
                body: body.body
            )
        }
        try await ListenerBench.run(answer: try Self.responder(loader)) { port, listener in
            try await RawClient.connect(port).leave(after: get()) { await hasBegun.wait() }
            await body.isDropped.wait()
            while listener.connectionCount > 0 { await Task.yield() }
        }
    }

    @Test func `a disconnecting client does not affect another waiter for the same image`() async throws {
        let (hasBegun, goesOn) = (AsyncGate(), AsyncGate())
        let data = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 60, height: 45)))
        let loader = ScriptedDataLoader { request, _ in
            hasBegun.open()
            await goesOn.wait()
            return .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        try await ListenerBench.run(answer: try Self.responder(loader)) { port, listener in
            let second = SharedState<Task<String, any Error>?>(nil)
            try await RawClient.connect(port).leave(after: get()) {
                await hasBegun.wait()
                second.withLock { task in
                    task = Task { try await RawClient.connect(port).exchange([get()]) }
                }
                while listener.connectionCount < 2 { await Task.yield() }
            }
            while listener.connectionCount > 1 { await Task.yield() }
            goesOn.open()
            let received = try await second.value?.value
            #expect(Self.statuses(received ?? "") == ["200"])
        }
    }

    @Test(arguments: [
        "evil.test", "127.0.0.1:1", "a.test,b.test", "", "[::1]", "a.test:99999", "a%20b",
        String(repeating: "a", count: 8_000),
    ])
    func `a foreign Host gets the same image, and is not echoed`(host: String) async throws {
        let text = "GET \(picturePath) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        let (hostile, next) = try await exchange(text)
        #expect(Self.statuses(hostile) == ["200"], "\(hostile.prefix(80))")
        let head = hostile.prefix(while: { $0 != "\u{FFFD}" })
        #expect(host.isEmpty || host == "[::1]" || !head.contains(host))
        #expect(Self.statuses(next) == ["200"])
    }

    @Test(arguments: [
        "", "Host: a.test\r\nHost: b.test\r\n", "Host: a.test\r\nHost: a.test\r\n", "host: a\r\nHOST: b\r\n",
        "Host: a.test, b.test\r\n", "Host: a b\r\n", "Host: <script>\r\n", "Host: a.test/b\r\n",
        "Host: u@a.test\r\n", "Host: a.test:8o\r\n", "Host: a:1:2\r\n", "Host: [::1\r\n", "Host: []\r\n",
        "Host: [::1]a\r\n", "Host: [g::]\r\n", "Host: a\u{E9}\r\n",
    ])
    func `a request with a missing, repeated or invalid Host is refused and closes the connection`(
        fields: String
    ) async throws {
        let text = "GET \(picturePath) HTTP/1.1\r\n\(fields)\r\n" + get("/smuggled/w:9/x")
        let (hostile, next) = try await exchange(text)
        #expect(Self.statuses(hostile) == ["400"] && Self.statuses(next) == ["200"], "\(hostile)")
        #expect(hostile.contains("Connection: close"))
    }

    @Test func `requests before a refused one are answered`() async throws {
        let good = "GET \(picturePath) HTTP/1.1\r\nHost: a.test\r\n\r\n"
        let (hostile, _) = try await exchange(good + "GET / HTTP/1.1\r\n\r\n" + good)
        #expect(Self.statuses(hostile) == ["200", "400"])
    }

    @Test(arguments: ["", "Host: a.test\r\n", "Connection: keep-alive\r\n"])
    func `an HTTP/1.0 request needs no Host, and closes the connection`(fields: String)
        async throws
    {
        let (received, _) = try await exchange("GET /health HTTP/1.0\r\n\(fields)\r\n")
        #expect(Self.statuses(received) == ["200"] && received.contains("Connection: close"))
    }

    @Test(arguments: [1, 1_000, 2_500])
    func `a thousand ranges get the whole image`(count: Int) async throws {
        let ranges = (0..<count).map { "\($0)-\($0)" }.joined(separator: ",")
        let text = get(picturePath, "Range: bytes=\(ranges)", "If-Range: \"x\"")
        let (hostile, next) = try await exchange(text)
        #expect(Self.statuses(hostile) == ["200"] && !hostile.contains("Content-Range"))
        #expect(Self.statuses(next) == ["200"])
    }

    @Test(arguments: [
        ("Accept: " + String(repeating: "image/webp;q=0.1,", count: 480), "200"),
        ("If-None-Match: " + String(repeating: "\"x\", ", count: 1_600), "200"),
        ("If-None-Match: " + String(repeating: "\"x\", ", count: 1_600) + "*", "200"),
        ("If-Modified-Since: " + String(repeating: "9", count: 8_000), "200"),
        ("Accept: " + String(repeating: "image/webp,", count: 8_000), "431"),
        ("Range: bytes=" + String(repeating: "0-0,", count: 10_000), "431"),
        ("Cookie: " + String(repeating: "a=b;", count: 20_000), "431"),
        ("Accept: \u{1}", "400"), ("Expect: 100-continue", "200"), ("Upgrade: h2c", "200"),
        ("TE: trailers\r\nTrailer: X", "200"),
    ])
    func `header fields of kilobytes are accepted, and longer ones get an error status`(
        field: String,
        status: String
    )
        async throws
    {
        let (hostile, next) = try await exchange(get(picturePath, field))
        let statuses = Self.statuses(hostile).filter { $0 != "100" }
        #expect(statuses.map(String.init) == [status], "\(field.prefix(40)): \(hostile.prefix(60))")
        #expect(Self.statuses(next) == ["200"])
    }

    @Test func `a hundred pipelined requests get a hundred responses in order`() async throws {
        let one = "GET \(picturePath) HTTP/1.1\r\nHost: a.test\r\nX-Request-ID: r-%\r\n\r\n"
        let texts = (0..<100).map { one.replacing("%", with: "\($0)") }.joined()
        let (hostile, _) = try await exchange(texts + get())
        let names = hostile.ranges(of: "X-Request-ID: r-").map { range in
            hostile[range.upperBound...].prefix { $0.isNumber }
        }
        #expect(names.map(String.init) == (0..<100).map { "\($0)" })
    }
}
