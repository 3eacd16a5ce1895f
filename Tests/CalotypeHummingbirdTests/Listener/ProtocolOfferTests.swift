import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeHummingbird

private func request(_ target: String, _ fields: [String] = [], method: String = "GET") -> String {
    (["\(method) \(target) HTTP/1.1", "Host: a.test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
}

/// Requests that offer a protocol upgrade: the offer is ignored, and the connection is read on.
@Suite(.waiting) struct ProtocolOfferTests {
    private static let offers = [
        ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"],
        ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
        ["Upgrade: h2c", "Connection: upgrade"], ["UPGRADE: TLS/1.0", "CONNECTION: UPGRADE"],
        ["Upgrade: websocket", "Connection: keep-alive, Upgrade"], ["Upgrade: websocket"],
        ["Connection: Upgrade"], ["Upgrade:", "Connection: upgrade"], ["Connection: upgrade", "Upgrade: "],
        ["Upgrade: h2c", "Upgrade: websocket", "Connection: upgrade"],
        ["Upgrade: h2c", "Connection: upgrade", "Content-Length: 0"],
        ["Upgrade-Insecure-Requests: 1"], ["Proxy-Connection: upgrade", "Upgrade: x"],
    ]

    private static func statuses(_ received: String) -> [Substring] {
        received.ranges(of: "HTTP/1.1 ").map { received[$0.upperBound...].prefix(3) }
    }

    private func answers(_ texts: [String]) async throws -> String {
        try await ListenerBench.run(answer: ListenerBench.echo) { port, _ in
            try await RawClient.connect(port).exchange(texts)
        }
    }

    @Test(arguments: offers) func `pipelined requests after an upgrade offer are answered`(fields: [String])
        async throws
    {
        let text =
            request("/1", fields) + request("/2") + request("/3", fields) + request("/4", fields)
            + request("/5", ["Connection: close"])
        let received = try await answers([text])
        #expect(Self.statuses(received) == ["200", "200", "200", "200", "200"], "\(received)")
        for number in 1...5 { #expect(received.contains("GET /\(number) 0"), "\(received)") }
    }

    @Test(arguments: offers) func `a request after an upgrade offer in chunks is answered`(
        fields: [String]
    ) async throws {
        let text = request("/1", fields) + request("/2", ["Connection: close"])
        let bytes = Array(text.utf8)
        for size in [1, 7, 50] {
            let parts = stride(from: 0, to: bytes.count, by: size).map {
                String(decoding: bytes[$0..<min($0 + size, bytes.count)], as: UTF8.self)
            }
            let received = try await answers(parts)
            #expect(Self.statuses(received) == ["200", "200"], "\(size): \(received)")
        }
    }

    @Test func `requests after a CONNECT are answered`() async throws {
        let connect = "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n"
        let last = request("/3", ["Connection: close"])
        let received = try await answers([connect + request("/2") + connect + last])
        #expect(Self.statuses(received).count == 4, "\(received)")
        #expect(received.contains("GET /2 0") && received.contains("GET /3 0"))
    }

    @Test(arguments: [
        ("GET", ["Upgrade: h2c", "Connection: upgrade"]), ("POST", ["Upgrade: h2c", "Connection: upgrade"]),
        ("CONNECT", []), ("POST", ["Upgrade: x"]),
    ])
    func `the body of an upgrade offer is not read as a request`(method: String, fields: [String])
        async throws
    {
        let inner = request("/smuggled")
        for framing in [
            ["Content-Length: \(inner.utf8.count)"], ["Transfer-Encoding: chunked"],
        ] {
            let isChunked = framing[0].hasPrefix("T")
            let body = isChunked ? "\(String(inner.utf8.count, radix: 16))\r\n\(inner)\r\n0\r\n\r\n" : inner
            let received = try await answers([
                request(method == "CONNECT" ? "a.test:443" : "/1", fields + framing, method: method) + body
                    + request("/next")
            ])
            #expect(Self.statuses(received).count == 1, "\(received)")
            #expect(!received.contains("/smuggled") && received.contains("Connection: close"))
        }
    }
}
