import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Hostile origin responses; named cases keep the test output short.
enum HostileAnswer: String, CaseIterable {
    case endless, endlessChunks, shorterThanAnnounced, longerThanAnnounced, brokenChunks, plainAsGzip
    case unaskedPart, unaskedNotModified, page, pageAsPicture, longHead, cookies, closesInTheHead
    case closesInTheBody, resets, hugeAnnounced, lineBreakInTag, empty, gone, forbidden, failing, teapot
    case wrongStatusLine, twoLengths

    func response(_ picture: Data) -> OriginResponse {
        let secret = Data("<html>secret of the origin</html>".utf8)
        switch self {
        case .endless: return Self.endless(Data(count: 1 << 14), head: "Connection: close")
        case .endlessChunks:
            let chunk = Data("4000\r\n".utf8) + Data(count: 1 << 14) + Data("\r\n".utf8)
            return Self.endless(chunk, head: "Transfer-Encoding: chunked")
        case .shorterThanAnnounced: return .body(picture, announcing: picture.count + 1)
        case .longerThanAnnounced: return .body(picture, announcing: picture.count - 1)
        case .brokenChunks: return Self.raw("Transfer-Encoding: chunked", "zz\r\nabc")
        case .plainAsGzip:
            let field = OriginField("Content-Encoding", "gzip")
            return OriginResponse(headers: [field], steps: [.bytes(picture)])
        case .unaskedPart: return OriginResponse(status: 206, steps: [.bytes(picture)])
        case .unaskedNotModified: return OriginResponse(status: 304)
        case .page: return .body(secret, type: "text/html")
        case .pageAsPicture: return .body(secret, type: "image/jpeg")
        case .longHead: return Self.raw("X-Bomb: \(String(repeating: "x", count: 100_000))", "")
        case .cookies: return Self.raw(String(repeating: "Set-Cookie: a=b\r\n", count: 50_000) + "A: b", "")
        case .closesInTheHead: return .raw(Data("HTTP/1.1 200 OK\r\nContent-".utf8))
        case .closesInTheBody: return OriginResponse(framing: .announced(99_999), steps: [.bytes(picture)])
        case .resets: return .body(picture, resetAfter: 100)
        case .hugeAnnounced: return OriginResponse(framing: .announced(99_999_999_999))
        case .lineBreakInTag: return Self.raw("ETag: \"a\rb\"\r\nContent-Length: 5", "short")
        case .empty: return .body(Data())
        case .gone: return .status(410, text: "secret of the origin")
        case .forbidden: return .status(403, text: "secret of the origin")
        case .failing: return .status(503, text: "secret of the origin")
        case .teapot: return .status(418, text: "secret of the origin")
        case .wrongStatusLine: return .raw(Data("SSH-2.0-OpenSSH_9.2\r\n".utf8))
        case .twoLengths: return Self.raw("Content-Length: 3\r\nContent-Length: 4", "abcd")
        }
    }

    private static func raw(_ head: String, _ body: String) -> OriginResponse {
        .raw(Data("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n\(body)".utf8))
    }

    private static func endless(_ piece: Data, head: String) -> OriginResponse {
        let pieces = (0..<256).map { _ in OriginResponse.Step.bytes(piece) }
        let head = OriginResponse.Step.bytes(Data("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n".utf8))
        return OriginResponse(framing: .raw, steps: [head] + pieces + [.wait(OriginGate())])
    }
}

@Suite(.blocking) struct HostileOriginServiceTests {
    private struct Records: ServiceObserver {
        let all = SharedState<[ServiceRecord]>([])
        func didRespond(_ record: ServiceRecord) { all.withLock { $0.append(record) } }
    }

    @Test(arguments: HostileAnswer.allCases)
    func `a hostile origin response gives its own error, which reveals nothing`(
        kind: HostileAnswer
    ) async throws {
        let picture = try WebBench.picture()
        let records = Records()
        try await WebBench.with({ configuration, _ in
            configuration.limits.maxByteCount = 1 << 20
            configuration.observer = records
        }) { request in
            request.path == "/good" ? .body(picture, type: "image/jpeg") : kind.response(picture)
        } _: { bench in
            for _ in 1...2 {
                let answer = try await bench.ask("/evil")
                let statuses = kind == .gone ? [410] : [422, 502]
                #expect(statuses.contains(answer.status), "\(answer.status)")
                #expect(answer["Cache-Control"] == "no-store" && answer["ETag"] == nil)
                let told = answer.fields.map(\.value) + [String(decoding: answer.body, as: UTF8.self)]
                #expect(!told.joined().contains("secret") && !told.joined().contains("127.0.0.1"))
            }
            #expect(try await bench.ask("/good").status == 200)
        }
        #expect(records.all.value.allSatisfy { !($0.errorDetail ?? "").contains("secret") })
    }

    @Test func `a source that is small by HEAD is limited by its GET`() async throws {
        let picture = try WebBench.picture()
        try await WebBench.with({ configuration, _ in configuration.limits.maxByteCount = 1_000 }) {
            request in
            request.method == "HEAD" ? .body(Data()) : .body(picture, type: "image/jpeg")
        } _: { bench async throws in
            #expect(try await bench.ask("/a").status == 422)
            #expect(await bench.origin.activity.snapshot.requests.map(\.method) == ["GET"])
        }
    }

    @Test func `cookies and other fields of an origin are not forwarded`() async throws {
        let picture = try WebBench.picture()
        try await WebBench.with { _ in
            let names = ["Set-Cookie", "X-Powered-By", "Content-Disposition", "Link", "Location"]
            let fields = names.map { OriginField($0, "secret; HttpOnly") }
            return OriginResponse(headers: fields, steps: [.bytes(picture)])
        } _: { bench in
            let answer = try await bench.ask("/a")
            #expect(answer.status == 200 && !answer.fields.contains { $0.value.contains("secret") })
            #expect(try await bench.ask("/a", width: 31).status == 200)
            let requests = await bench.origin.activity.snapshot.requests
            #expect(requests.allSatisfy { $0[header: "cookie"] == nil })
        }
    }

    @Test func `a validator with a line break is never sent as two lines`() async throws {
        let picture = try WebBench.picture()
        try await WebBench.with { _ in
            OriginResponse(
                headers: [
                    OriginField("ETag", "\"a\rX-Evil: 1\""), OriginField("Last-Modified", "x\rX-Evil: 1"),
                    OriginField("Cache-Control", "max-age=0"),
                ],
                steps: [.bytes(picture)]
            )
        } _: { bench in
            for width in [30, 31] {
                let answer = try await bench.ask("/a", width: width)
                #expect(!answer.fields.contains { $0.value.utf8.contains { $0 == 10 || $0 == 13 } })
            }
            for request in await bench.origin.activity.snapshot.requests {
                #expect(request[header: "x-evil"] == nil)
                #expect(!(request[header: "if-none-match"] ?? "").utf8.contains(13))
            }
        }
    }
}
