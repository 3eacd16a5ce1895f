import CalotypeTesting
import FoundationEssentials
import HTTPTypes
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import CalotypeHummingbird

private func get(_ target: String, _ fields: String...) -> String {
    (["GET \(target) HTTP/1.1", "Host: a.test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
}

/// A listener with clients over sockets.
@Suite(.waiting) struct ListenerTests {
    /// The responses to texts sent on one connection.
    private func answers(
        _ texts: String...,
        until end: String? = nil,
        limits: ListenerLimits = ListenerLimits()
    ) async throws -> String {
        try await ListenerBench.run(limits, answer: ListenerBench.echo) { port, _ in
            try await RawClient.connect(port).exchange(texts, until: end)
        }
    }

    @Test func `a connection answers several pipelined requests in order`() async throws {
        let received = try await answers(get("/1") + get("/2"), get("/3", "Connection: close"))
        let places = ["GET /1 0", "GET /2 0", "GET /3 0"].map { received.firstRange(of: $0)?.lowerBound }
        #expect(
            places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted()
        )
        #expect(received.components(of: "HTTP/1.1 200 OK") == 3)
        #expect(received.contains("Date: ") && received.contains("Connection: close"))
    }

    @Test(arguments: [true, false])
    func `the responder runs on the connection's event loop only if configured`(
        isWanted: Bool
    ) async throws {
        let answer: Listener.Responder = { _ in
            .line(.ok, MultiThreadedEventLoopGroup.currentEventLoop == nil ? "elsewhere" : "loop")
        }
        let received = try await ListenerBench.run(answersOnEventLoop: isWanted, answer: answer) { port, _ in
            try await RawClient.connect(port).exchange([get("/", "Connection: close")], until: nil)
        }
        #expect(received.hasSuffix(isWanted ? "loop\n" : "elsewhere\n"), "\(received)")
    }

    @Test(arguments: [
        ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "400"), ("\u{16}\u{3}\u{1} no HTTP\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "400"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400"
        ),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"),
    ])
    func `an ambiguous request is refused, and the bytes after it are not read`(
        text: String,
        status: String
    ) async throws {
        let received = try await answers(text + get("/smuggled", "Connection: close"))
        #expect(received.hasPrefix("HTTP/1.1 \(status) "), "\(received)")
        #expect(!received.contains("/smuggled") && received.components(of: "HTTP/1.1 ") == 1)
    }

    @Test func `an overlong URL, header or body gets an error status, and the connection closes`()
        async throws
    {
        for length in [8_193, 32_768, 200_000] {
            let long = try await answers(get("/" + String(repeating: "a", count: length)))
            #expect(
                long.hasPrefix("HTTP/1.1 \(length > 70_000 ? 431 : 414) "),
                "\(length): \(long.prefix(80))"
            )
        }
        let fields = try await answers(get("/", "X: " + String(repeating: "a", count: 40_000)))
        #expect(fields.hasPrefix("HTTP/1.1 431 "))
        let many = (0..<200).map { "X-\($0): 1" }.joined(separator: "\r\n")
        #expect(try await answers(get("/", many)).hasPrefix("HTTP/1.1 431 "))
        var limits = ListenerLimits()
        limits.maxBodyByteCount = 10
        let body = try await answers(get("/", "Content-Length: 11") + "12345678901", limits: limits)
        #expect(body.hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `an invalid request gets a problem document if the client accepts JSON`() async throws {
        let accept = "Accept: application/problem+json"
        var limits = ListenerLimits()
        limits.maxBodyByteCount = 10
        for (text, status) in [
            (get("/" + String(repeating: "a", count: 8_193), accept), 414),
            (get("/", accept + "\r\nX: " + String(repeating: "a", count: 33_000)), 431),
            (get("/", accept + "\r\nContent-Length: 11") + "12345678901", 413),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\(accept)\r\n\r\n", 400),
        ] {
            let received = try await answers(text, limits: limits)
            #expect(received.hasPrefix("HTTP/1.1 \(status) "), "\(received)")
            #expect(received.lowercased().contains("content-type: application/problem+json\r\n"))
            #expect(received.contains("\"code\":\"malformedRequest\""), "\(received)")
        }
    }

    @Test func `a URL of eight kilobytes is accepted`() async throws {
        let target = "/" + String(repeating: "a", count: 8_191)
        let received = try await answers(get(target, "Connection: close"))
        #expect(received.hasPrefix("HTTP/1.1 200 ") && received.contains(target))
    }

    @Test func `the body of a GET is read and does not count as a request`() async throws {
        let inner = get("/smuggled")
        let received = try await answers(
            get("/outer", "Content-Length: \(inner.utf8.count)") + inner + get("/next", "Connection: close")
        )
        #expect(received.contains("GET /outer \(inner.utf8.count)") && received.contains("GET /next 0"))
        #expect(!received.contains("/smuggled"))
    }

    @Test func `an unretained body is read to its end and does not count as a request`() async throws {
        var limits = ListenerLimits()
        limits.collectsBodies = false
        let inner = get("/smuggled")
        let outer = get("/outer", "Content-Length: \(inner.utf8.count)") + inner
        let received = try await answers(outer + get("/next", "Connection: close"), limits: limits)
        #expect(received.contains("GET /outer 0") && received.contains("GET /next 0"))
        #expect(!received.contains("/smuggled"))
    }

    @Test func `a request retains a valid name of its caller`() async throws {
        let named = try await answers(get("/", "X-Request-ID: a-B_7.9", "Connection: close"))
        #expect(named.contains("X-Request-ID: a-B_7.9\r\n") && named.contains(" a-B_7.9\n"))
        for wrong in ["a b", "<script>", String(repeating: "a", count: 65), "ä"] {
            let received = try await answers(get("/", "X-Request-ID: \(wrong)", "Connection: close"))
            #expect(!received.contains(wrong) && received.contains("X-Request-ID: "), "\(wrong)")
        }
    }

    @Test func `a HEAD response has the length of the omitted body`() async throws {
        let received = try await answers("HEAD /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let head = try #require(received.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") })
        #expect(head != "Content-Length: 0" && received.hasSuffix("\r\n\r\n"))
    }

    @Test func `an absolute target is reduced to its path`() async throws {
        let received = try await answers(get("http://a.test/x?y=1", "Connection: close"))
        #expect(received.contains("GET /x?y=1 0"))
    }

    @Test func `a disconnecting client cancels its response`() async throws {
        let (hasBegun, wasCancelled) = (AsyncGate(), AsyncGate())
        try await ListenerBench.run(answer: { _ in
            hasBegun.open()
            await withTaskCancellationHandler {
                await wasCancelled.wait()
            } onCancel: {
                wasCancelled.open()
            }
            throw CancellationError()
        }) { port, _ in
            try await RawClient.connect(port).leave(after: get("/slow")) { await hasBegun.wait() }
            await wasCancelled.wait()
        }
    }

    @Test func `a client that half-closes after its requests gets all responses`() async throws {
        let body = ByteBuffer(repeating: 1, count: 32 << 20)
        let answer: Listener.Responder = { _ in
            ListenerResponse(head: HTTPResponse(status: .ok), body: body)
        }
        try await ListenerBench.run(answer: answer) { port, _ in
            for requests in [get("/"), get("/") + get("/", "Connection: close")] {
                let count = try await RawClient.connect(port).byteCount(afterClosingBehind: requests)
                let answerCount = requests.ranges(of: "GET").count
                #expect(count > answerCount * body.readableBytes, "\(count)")
            }
        }
    }

    @Test func `a long body is sent whole, in slices`() async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let answer: Listener.Responder = { _ in
            var answer = ListenerResponse(head: HTTPResponse(status: .ok))
            answer.longBody = body
            return answer
        }
        try await ListenerBench.run(answer: answer) { port, _ in
            let request = Array(get("/", "Connection: close").utf8)
            let received = try await RawClient.connect(port).exchange(bytes: [request])
            #expect(Array(received.suffix(body.count)) == Array(body))
            #expect(String(decoding: received.prefix(300), as: UTF8.self).contains("Content-Length: 300000"))
        }
    }

    @Test(arguments: [0, 1, ListenerResponse.sliceByteCount, ListenerResponse.sliceByteCount + 1, 1 << 20])
    func `a long body is the sum of its slices`(byteCount: Int) {
        let body = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 11) })
        var (joined, start) = (Data(), 0)
        // The indices of a part do not start at zero.
        let part = (Data([9]) + body).dropFirst()
        while let slice = part.nextSlice(&start) {
            #expect((1...ListenerResponse.sliceByteCount).contains(slice.readableBytes))
            joined.append(contentsOf: slice.readableBytesView)
        }
        #expect(joined == body && start == byteCount)
    }

    @Test func `stopping waits for running responses, and accepts no connections`() async throws {
        let (hasBegun, mayEnd) = (AsyncGate(), AsyncGate())
        try await ListenerBench.run(answer: { _ in
            hasBegun.open()
            await mayEnd.wait()
            return .line(.ok, "late")
        }) { port, listener in
            async let received = RawClient.connect(port).exchange([get("/")])
            await hasBegun.wait()
            async let stopped: Void = listener.stop()
            mayEnd.open()
            let answer = try await received
            #expect(answer.contains("late\n"))
            await stopped
            await #expect(throws: (any Error).self) { try await RawClient.connect(port) }
        }
    }

    @Test func `an aborted listener does not wait for a client that does not read`() async throws {
        let text = String(repeating: "a", count: 32 << 20)
        let listener = Listener(
            ListenerAddress(host: "127.0.0.1", port: 0),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            responder: { _ in .line(.ok, text) }
        )
        let (ports, sink) = AsyncStream<Int>.makeStream()
        let running = Task {
            try await listener.run { sink.yield($0) }
        }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        try await RawClient.connect(port).hold(after: get("/", "Connection: close"), once: "200 OK") {
            running.cancel()
            try await running.value
        }
    }

    @Test func `connections are counted`() async throws {
        try await ListenerBench.run(answer: ListenerBench.echo) { port, listener in
            #expect(listener.connectionCount == 0)
            _ = try await RawClient.connect(port).exchange([get("/")], until: "GET /")
            // The count falls when the connection closes, after the other side has noticed.
            while listener.connectionCount > 0 { await Task.yield() }
        }
    }

    @Test func `an error of the responder closes the connection, not the listener`() async throws {
        try await ListenerBench.run(answer: { request in
            guard request.target != "/broken" else { throw CancellationError() }
            return .line(.ok, "whole")
        }) { port, _ in
            #expect(try await RawClient.connect(port).exchange([get("/broken")]) == "")
            let next = try await RawClient.connect(port).exchange([get("/", "Connection: close")])
            #expect(next.contains("whole"))
        }
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
