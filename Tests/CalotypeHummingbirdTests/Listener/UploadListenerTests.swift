import Calotype
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

/// `POST` of an image over a socket, with a token.
@Suite(.waiting) struct UploadListenerTests {
    private static let token = "Authorization: Bearer token-1"
    private static let path = "/x/w:30/plain/-@png"

    private static func service() -> ImageService {
        var configuration = ImageService.Configuration.patient
        configuration.uploads = UploadSettings(token: SigningKey("token-1"))
        configuration.limits.maxByteCount = 200_000
        let loader = ScriptedDataLoader { _, _ in throw CancellationError() }
        return ImageService(
            pipeline: ImageService.pipeline(.init(cache: ImageCache(codecs: .publicWeb), loader: loader)),
            configuration: configuration
        )
    }

    /// The responses to bytes on one connection, as text in Latin-1.
    private func exchange(
        _ chunks: [[UInt8]],
        _ limits: ListenerLimits = ListenerLimits(),
        service: ImageService = Self.service()
    ) async throws -> String {
        let responder = ServiceResponder(service)
        return try await ListenerBench.run(
            limits,
            intake: { responder.intake($0) },
            answer: { try await responder.response(to: $0) }
        ) { port, listener in
            let received = try await RawClient.connect(port).exchange(bytes: chunks)
            while listener.connectionCount > 0 { await Task.yield() }
            return String(received.map { Character(Unicode.Scalar($0)) })
        }
    }

    private static func head(_ fields: String..., target: String = path) -> [UInt8] {
        let lines = ["POST \(target) HTTP/1.1", "Host: a.test"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private static func picture() throws -> [UInt8] {
        Array(try JPEGEncoder(quality: 90).encode(TestImages.photograph(PixelSize(width: 120, height: 90))))
    }

    private static func statuses(_ received: String) -> [Substring] {
        received.ranges(of: "HTTP/1.1 ").map { received[$0.upperBound...].prefix(3) }
    }

    @Test func `a body with a length, and a chunked one, give the same image`() async throws {
        let body = try Self.picture()
        let whole = try await exchange([
            Self.head(Self.token, "Content-Length: \(body.count)", "Connection: close"), body,
        ])
        #expect(Self.statuses(whole) == ["200"] && whole.contains("Content-Type: image/png"))
        #expect(whole.contains("PNG\r\n\u{1A}\n"))
        let half = body.count / 2
        let chunks = [Array(body[..<half]), Array(body[half...])].map {
            Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + Array("\r\n".utf8)
        }
        let chunked = try await exchange(
            [Self.head(Self.token, "Transfer-Encoding: chunked", "Connection: close")] + chunks
                + [Array("0\r\n\r\n".utf8)]
        )
        #expect(Self.statuses(chunked) == ["200"])
        let bodies = try [whole, chunked].map { received in
            let end = try #require(received.firstRange(of: "\r\n\r\n"))
            return String(received[end.upperBound...])
        }
        #expect(bodies[0] == bodies[1] && !bodies[0].isEmpty)
    }

    @Test func `requests before and after an upload on one connection are answered`() async throws {
        let body = try Self.picture()
        let health = Array("GET /health HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8)
        let last = Array("GET /health HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n".utf8)
        let post = Self.head(Self.token, "Content-Length: \(body.count)") + body
        let received = try await exchange([health + post + last])
        #expect(Self.statuses(received) == ["200", "200", "200"])
    }

    @Test func `Expect 100-continue is answered before the body, and only for an accepted path`()
        async throws
    {
        let body = try Self.picture()
        let expect = "Expect: 100-continue"
        let received = try await exchange([
            Self.head(Self.token, expect, "Content-Length: \(body.count)", "Connection: close"), body,
        ])
        #expect(Self.statuses(received) == ["100", "200"])
        for (fields, status) in [
            (["Authorization: Bearer wrong", "Content-Length: 9"], "401"),
            ([Self.token, "Content-Length: 200001"], "413"),
        ] {
            let refused = try await exchange([Self.head(expect, fields[0], fields[1])])
            #expect(Self.statuses(refused) == [status[...]] && refused.contains("Connection: close"))
        }
    }

    @Test(arguments: [
        (["Authorization: Bearer wrong", "Content-Length: 1000000"], path, "401"),
        (["Content-Length: 1000000"], path, "401"),
        ([token, "Content-Length: 1000000"], path, "413"),
        ([token, "Content-Length: 99999999999999999"], path, "413"),
        ([token, "Transfer-Encoding: chunked"], "/x/foo:1/plain/-", "404"),
        ([token, "Transfer-Encoding: chunked"], "/x/w:1/plain/http://src.test/a", "404"),
        ([token, "Transfer-Encoding: chunked"], "/w:1/plain/-", "403"),
        ([token, "Transfer-Encoding: chunked"], "/", "404"),
    ])
    func `a refused upload is answered at once, without its body`(
        fields: [String],
        target: String,
        status: String
    ) async throws {
        // The body never comes.
        let lines = ["POST \(target) HTTP/1.1", "Host: a.test"] + fields
        let received = try await exchange([Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)])
        #expect(Self.statuses(received) == [status[...]], "\(received.prefix(80))")
        #expect(received.contains("Connection: close"))
    }

    @Test(arguments: [
        "zz\r\n", "-1\r\n", "FFFFFFFFFFFFFFFFF\r\nabc", "5 5\r\nabcde\r\n0\r\n\r\n", "5\r\nabcdefgh\r\n",
    ])
    func `a malformed chunk gets a 400 at once`(body: String) async throws {
        let received = try await exchange([
            Self.head(Self.token, "Transfer-Encoding: chunked"), Array(body.utf8),
        ])
        #expect(Self.statuses(received) == ["400"], "\(received.prefix(80))")
    }

    @Test func `a chunked body over the limit is refused where it exceeds it`() async throws {
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0, count: 0x10000) + Array("\r\n".utf8)
        let received = try await exchange(
            [Self.head(Self.token, "Transfer-Encoding: chunked")] + Array(repeating: chunk, count: 4)
        )
        #expect(Self.statuses(received) == ["413"], "\(received.prefix(80))")
    }

    @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
    func `an upload that never ends is cut off, and its budget returned`(length: String) async throws {
        var limits = ListenerLimits()
        limits.uploadTimeout = .milliseconds(200)
        let service = Self.service()
        let start = length.hasPrefix("T") ? "5\r\nabcde\r\n" : "abcde"
        let received = try await exchange(
            [Self.head(Self.token, length), Array(start.utf8)],
            limits,
            service: service
        )
        #expect(received == "")
        #expect(service.pipeline.activity.undecodedByteCount == 0)
        #expect(service.pipeline.workload.runningCount == 0)
    }

    @Test func `a client that leaves during its upload returns the budget`() async throws {
        let service = Self.service()
        let responder = ServiceResponder(service)
        try await ListenerBench.run(
            ListenerLimits(),
            intake: { responder.intake($0) },
            answer: { try await responder.response(to: $0) }
        ) { port, listener in
            let text = String(decoding: Self.head(Self.token, "Content-Length: 1000"), as: UTF8.self) + "abc"
            try await RawClient.connect(port).leave(after: text) {
                while service.pipeline.activity.undecodedByteCount == 0 { await Task.yield() }
            }
            while listener.connectionCount > 0 { await Task.yield() }
            while service.pipeline.activity.undecodedByteCount > 0 { await Task.yield() }
        }
    }

    @Test(arguments: [(nil, 10), (Duration.seconds(40), 40)] as [(Duration?, Int)])
    func `one byte a second does not extend the time limit of an upload`(
        limit: Duration?,
        seconds: Int
    ) throws {
        var limits = ListenerLimits()
        limits.uploadTimeout = limit
        let channel = EmbeddedChannel(handler: ConnectionGuard(limits, ClientPresence()))
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a.test", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        var elapsed = 0
        while channel.isActive, elapsed < 60 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            elapsed += 1
            if channel.isActive { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a"))) }
        }
        #expect((seconds...seconds + 1).contains(elapsed))
    }
}
