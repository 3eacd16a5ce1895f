import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// Header fields and names that have broken other services, sent to a complete service.
@Suite(.blocking) struct HostileDeliveryTests {
    private let service: ImageService

    init() throws { service = try ServiceBench().service() }

    @Test(arguments: [
        "a\r\nSet-Cookie: evil=1", "a\"; filename=\"evil.exe", "../../etc/passwd", "..\\..\\evil",
        "a\u{202E}gpj.exe",
        "a\u{200F}b\u{2066}c", "caf\u{E9} \u{1F600}", "a\u{0}b", "a;b=c", "a%0d%0aX: y", "\u{FEFF}", "",
        "   ",
        "con*?<>|:", String(repeating: "\u{1F600}", count: 5_00), "a\u{2028}b\u{2029}c\u{85}d",
    ])
    func `no file name breaks the header field`(name: String) async throws {
        let base64 = Data(name.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let encoded = name.utf8.map { "%25" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for target in [
            "/unsafe/fn:\(base64):1/\(examplePath)", "/unsafe/plain/http://src.test/\(encoded).jpg",
        ] {
            let answer = try await service.response(to: ServiceRequest(target: target))
            // A source with a zero byte, or one that leads upwards, is invalid.
            guard target.contains("fn:") || answer.status == 200 else { continue }
            let field = try #require(answer["Content-Disposition"])
            #expect(field.utf8.allSatisfy { $0 >= 32 && $0 < 127 }, "\(field)")
            #expect(field.hasPrefix("inline; filename=\"") && field.utf8.count < 2_000)
            let quotes = field.utf8.filter { $0 == UInt8(ascii: "\"") }.count
            let semicolons = field.utf8.filter { $0 == UInt8(ascii: ";") }.count
            #expect(quotes == 2 && semicolons <= 2 && !field.contains("\\") && !field.contains(".."))
            #expect(!answer.fields.contains { $0.name.lowercased() == "set-cookie" })
        }
    }

    @Test(arguments: [
        String(repeating: "image/webp;q=0.1,", count: 500), String(repeating: "a", count: 8_192),
        String(repeating: ",", count: 8_192), String(repeating: "image/avif;q=0,", count: 546),
        (0..<100).map { "image/x-\($0);q=0.\($0)" }.joined(separator: ","), "image/webp;q=0", "*/*;q=0",
        "image/webp;q=9999999999999999999999", ";;;;", "image/webp; q=\"1\"", "\u{0}", "IMAGE/\u{130}WEBP",
    ])
    func `an Accept of any length gets an image, and is not part of the key`(accept: String) async throws {
        let answer = try await service.response(
            to: ServiceRequest(target: "/unsafe/w:9/\(examplePath)", accept: accept)
        )
        #expect(answer.status == 200 && answer["Vary"] == "Accept")
        let again = try await service.response(
            to: ServiceRequest(target: "/unsafe/w:9/\(examplePath)", accept: accept + ",text/x-other")
        )
        #expect(again["X-Cache"] == "memory")
    }

    @Test func `an If-None-Match of 8 KB is parsed, and an invalid one gets a full response`() async throws {
        let target = "/unsafe/w:9/\(examplePath)"
        let tag = try #require(try await service.response(to: ServiceRequest(target: target))["ETag"])
        let padding = String(repeating: "\"x\",", count: 2_000)
        let known = ServiceRequest(target: target, ifNoneMatch: padding + tag)
        #expect(try await service.response(to: known).status == 304)
        for list in [
            String(repeating: "\"", count: 8_192), String(repeating: "W/", count: 4_096), "\u{0}", "\"\(tag)",
            padding + padding + padding + tag, String(repeating: "*", count: 8_000) + "\"",
        ] {
            let request = ServiceRequest(target: target, ifNoneMatch: list)
            #expect(try await service.response(to: request).status == 200, "\(list.prefix(20))")
        }
        for date in ["", "yesterday", String(repeating: "9", count: 8_192), "Thu, 99 Zzz 9999 99:99:99 GMT"] {
            var request = ServiceRequest(target: target)
            request.ifModifiedSince = date
            #expect(try await service.response(to: request).status == 200, "\(date.prefix(20))")
        }
    }

    @Test func `a refusal contains no source, path or URL, only the option's name`() async throws {
        let bench = try ServiceBench { request, _ in
            throw FetchError(.connectionFailed, detail: "10.0.0.7:9999 secret \(request.url)")
        }
        let service = bench.service { $0.sources.patterns = [] }
        for target in [
            "/unsafe/plain/http://secret.test/secret", "/unsafe/secret:<script>/\(examplePath)",
            "/unsafe/w:<script>alert(1)</script>/\(examplePath)", "/secret/plain/local:///secret",
            "/thumbor/unsafe/filters:secret(<b>)/src.test/a", "/<script>",
        ] {
            for accept in [nil, "application/json"] {
                let answer = try await service.response(to: ServiceRequest(target: target, accept: accept))
                let text = String(decoding: answer.body, as: UTF8.self)
                    .replacing("secret (unknownOption)", with: "").replacing(
                        "\"option\":\"secret\"",
                        with: ""
                    )
                #expect((400..<500).contains(answer.status) && !text.contains("<"), "\(target)")
                #expect(!text.contains("secret") && answer["X-Content-Type-Options"] == "nosniff", "\(text)")
            }
        }
        let failing = bench.service()
        let answer = try await failing.response(to: ServiceRequest(target: "/unsafe/\(examplePath)"))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 502 && !text.contains("secret") && !text.contains("10.0.0.7"))
    }
}
