import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// URLs, signatures and options that have broken image servers, sent to a complete service.
///
/// Each is refused before loading, or gives the right image, and the next request is served.
@Suite(.blocking) struct HostileURLTests {
    private let bench: ServiceBench
    private let service: ImageService

    init() throws {
        bench = try ServiceBench()
        let places = try SourcePolicy(["http://allowed.test/pictures", "src.test"])
        service = bench.service { $0.sources = places }
    }

    private func ask(_ target: String) async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: target))
    }

    /// The same source as text after `/plain/`, in base64, and in thumbor's form.
    private static func targets(of source: String) -> [String] {
        let encoded = source.utf8.reduce(into: "") { text, byte in
            let isPlain = byte > 32 && byte < 127 && !"%?#@\"<>\\^`{|}".utf8.contains(byte)
            text += isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16).leftPadded
        }
        let base64 = Data(source.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        return ["/unsafe/plain/\(encoded)", "/unsafe/\(base64)", "/thumbor/unsafe/20x20/\(encoded)"]
    }

    private func expectRefusal(_ target: String, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let answer = try await ask(target)
        let refusals = [403, 404, 414, 422]
        #expect(refusals.contains(answer.status), "\(target.prefix(100))", sourceLocation: sourceLocation)
        #expect(answer["Cache-Control"] == "no-store" && answer["ETag"] == nil && answer.body.count < 200)
        #expect(bench.loader.requests.isEmpty, "\(target.prefix(100))", sourceLocation: sourceLocation)
        let next = try await ask("/unsafe/w:9/\(examplePath)")
        #expect(next.status == 200, "the next request", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "http://allowed.test@evil.test/pictures/a", "http://allowed.test:80@evil.test/pictures/a",
        "http://allowed.test.evil.test/pictures/a", "http://evil.test/#@allowed.test/pictures/a",
        "http://evil.test/?@allowed.test/pictures/a", "http://evil.test\\@allowed.test/pictures/a",
        "http:\\\\allowed.test\\pictures\\a", "http://allowed.test\\.evil.test/pictures/a",
        "http://allowed.test/pictures/a\tb", "http://allowed.test/pictures/a\r\nHost: evil.test",
        "http://allowed.test/pictures/\0a", "http://allowed.test\t.evil.test/pictures/a",
        "//allowed.test/pictures/a", "http:allowed.test/pictures/a", "HTTPS://allowed.test/pictures/a",
        "http://allowed.test\u{3002}evil.test/pictures/a", "http://allowed.test\u{FF0E}evil/pictures/a",
        "http://allowed.test\u{2100}/pictures/a", "http://\u{430}llowed.test/pictures/a",
        "http://allowed.test/pictures/../secret", "http://allowed.test/pictures/%2e%2e%2fsecret",
        "http://allowed.test/pictures/..%5csecret", "http://allowed.test/pictures/%252e%252e%252fsecret",
        "http://allowed.test/pictures/..%252fsecret", "http://allowed.test/pictures/..%25255csecret",
        "http://allowed.test/pictures/%00", "http://allowed.test/pictures/a%2500.jpg",
        // A combining mark joins the preceding slash into one Swift character.
        "http://allowed.test/pictures/../%CC%81secret", "http://allowed.test/pictures/..%2f%CC%81/a",
        "http://allowed.test/pictures/../%E2%80%8Dsecret", "http://allowed.test/pictures/../\u{301}secret",
        "http://allowed.test/pictures%CC%81/../%CC%81a", "http://allowed.test/pictures-of-others/a",
        "http://allowed.test/Pictures/a", "http://allowed.test:8080/pictures/a", "http://allowed.test/",
        "http://[allowed.test]/pictures/a", "file:///etc/passwd", "local:///etc/passwd",
        "local:////etc/passwd",
        "data:image/png;base64,AAAA", "ftp://allowed.test/pictures/a", "gopher://allowed.test:70/pictures/a",
    ])
    func `no spelling of a source bypasses the allowed sources`(source: String) async throws {
        for target in Self.targets(of: source) { try await HostileURLTests().expectRefusal(target) }
    }

    @Test(arguments: [
        ("/unsafe/plain/HTTP://SRC.test/photo.jpg", "http://src.test/photo.jpg"),
        ("/unsafe/plain/http:/src.test/photo.jpg", "http://src.test/photo.jpg"),
        ("/unsafe/plain/http://src.test/photo.jpg%23@evil.test%3F", nil),
        ("/unsafe/plain/http://src.test/photo.jpg%23%40evil.test", "http://src.test/photo.jpg"),
        ("/unsafe/plain/http://src.test/photo.jpg%3Fa=1&b=%252F?c=2", "http://src.test/photo.jpg?a=1&b=%2F"),
        ("/unsafe/aHR0cDov/L3NyYy50ZXN0L3Bob3RvLmpwZw==", "http://src.test/photo.jpg"),
        ("/unsafe/aHR0cDovL3NyYy50ZXN0L2E_Yj0_Pw", "http://src.test/a?b=??"),
        ("/thumbor/unsafe/src.test/photo.jpg%3Fa%3D1", "http://src.test/photo.jpg?a=1"),
        ("/thumbor/unsafe/HTTP://src.test/photo.jpg", "http://src.test/photo.jpg"),
    ])
    func `a URL altered by proxies and clients gives the intended image`(
        target: String,
        url: String?
    ) async throws {
        let answer = try await ask(target)
        #expect(answer.status == (url == nil ? 404 : 200))
        #expect(bench.loader.requests.first?.url.absoluteString == url)
    }

    @Test func `64 KB of URL, and 2,000 segments of base64, get one short refusal`() async throws {
        try await expectRefusal("/unsafe/plain/http://src.test/" + String(repeating: "a", count: 65_536))
        try await HostileURLTests().expectRefusal(
            "/thumbor/unsafe/" + String(repeating: "9x9/", count: 16_384)
        )
        let segments = try await ask("/unsafe/" + String(repeating: "aHR0/", count: 1_600))
        #expect(segments.status == 404)
    }
}

extension String {
    fileprivate var leftPadded: String { (utf8.count < 2 ? "0" : "") + uppercased() }
}

@Suite(.blocking) struct HostileSignatureTests {
    private static let fitted = "/rs:fit:30:30/\(examplePath)"

    private func service() throws -> (ServiceBench, ImageService) {
        let bench = try ServiceBench()
        let service = bench.service { configuration in
            let keys = [SigningKey(key: [1, 2, 3], salt: [4, 5])]
            configuration.imgproxy?.signature = ImgproxySignature(keys: keys)
            configuration.thumbor?.signature = ThumborSignature(keys: [SigningKey("MY_SECURE_KEY")])
        }
        return (bench, service)
    }

    @Test func `every wrong signature gets the same response, whatever else is wrong`() async throws {
        let (bench, service) = try service()
        let good = try service.signed(Self.fitted, in: .imgproxy)
        let word = String(good.dropFirst().prefix { $0 != "/" })
        let thumbor = try service.signed("/30x30/src.test/a", in: .thumbor)
        let thumborWord = String(thumbor.dropFirst("/thumbor/".count).prefix { $0 != "/" })
        let hostile = [
            // Missing, empty, truncated, of another path, repeated, reordered, in another case or encoding.
            Self.fitted, "/unsafe\(Self.fitted)", "/\(word.prefix(2))\(Self.fitted)",
            "/\(word.dropLast())\(Self.fitted)", "/\(word)=\(Self.fitted)", "/\(word)A\(Self.fitted)",
            "/\(word)/w:5/\(examplePath)", "/\(word)/\(word)\(Self.fitted)", "/\(word)\(Self.fitted)/\(word)",
            "/unsafe/\(word)\(Self.fitted)", "/x/\(word)\(Self.fitted)/\(word)\(Self.fitted)",
            "/\(word)/rs:fit:30:30/exp:1/\(examplePath)", "/\(word)/RS:fit:30:30/\(examplePath)",
            "/\(word)/rs:fit:30:30/plain/http://src.test/%70hoto.jpg", "/\(word)/foo:1/\(examplePath)",
            "/%\(String(word.utf8.first ?? 0, radix: 16))\(word.dropFirst())\(Self.fitted)",
            "/\(word)%00\(Self.fitted)", "/info\(Self.fitted)", "/info/unsafe\(Self.fitted)",
            "/thumbor/unsafe/30x30/src.test/a", "/thumbor/30x30/src.test/a",
            "/thumbor/\(thumborWord.dropLast())/30x30/src.test/a",
            "/thumbor/\(thumborWord)/31x30/src.test/a", "/thumbor/\(thumborWord)/30x30/src.test/%61",
            "/thumbor/\(thumborWord)/\(thumborWord)/30x30/src.test/a",
            "/thumbor/\(thumborWord)//30x30/src.test/a",
            "/thumbor/unsafe/\(thumborWord)/30x30/src.test/a", "/\(thumborWord)/30x30/src.test/a",
        ]
        for target in hostile {
            let answer = try await service.response(to: ServiceRequest(target: target))
            #expect(answer.status == 403, "\(target)")
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.hasSuffix("(invalidSignature)\n"), "\(target)")
        }
        for target in ["//\(Self.fitted)", "/\(word)", "/thumbor//30x30/src.test/a"] {
            #expect(try await service.response(to: ServiceRequest(target: target)).status == 404, "\(target)")
        }
        #expect(bench.loader.requests.isEmpty)
        for target in [good, good + "?x=1", thumbor, thumbor.replacing("=", with: "%3D")] {
            #expect(try await service.response(to: ServiceRequest(target: target)).status == 200, "\(target)")
        }
    }

    @Test func `an expired URL is refused despite a good signature, and one of a far year is not`()
        async throws
    {
        let (_, service) = try service()
        for (seconds, status) in [("1", 404), ("9223372036854775807", 200), ("9223372036854775808", 404)] {
            let signed = try service.signed("/exp:\(seconds)\(Self.fitted)", in: .imgproxy)
            #expect(try await service.response(to: ServiceRequest(target: signed)).status == status)
        }
    }
}
