import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@Suite(.gated) struct LoggedPathTests {
    private static func path(of target: String) -> String? {
        var record = ServiceRecord(status: 404, duration: .zero)
        record.target = target
        return record.path
    }

    @Test(arguments: [
        ("/unsafe/w:9/plain/http://a.test/b.jpg%3Ftoken=x@png", "/unsafe/w:9/plain/http://a.test/b.jpg"),
        ("/unsafe/w:9/plain/http://a.test/%C3%A9%3ftoken=x", "/unsafe/w:9/plain/http://a.test/%C3%A9"),
        ("/thumbor/unsafe/http%253A%252F%252Fa.test%253Ftoken", "/thumbor/unsafe/http%253A%252F%252Fa.test"),
        ("/unsafe/plain/http://me:word@a.test/b.jpg", "/unsafe/plain/http"),
        ("/unsafe/https%3A%2f%2Fme%3Aword%40a.test/b", "/unsafe/https"),
        ("/unsafe/http%253A%252F%252Fme%2540a.test", "/unsafe/http"),
        ("/unsafe/w:9/aHR0cDovL2EudGVzdC9i/LmpwZz90b2tlbj14.png", "/unsafe/w:9"),
        ("/unsafe/w:9/SFRUUFM6Ly9tZTp3b3JkQGEudGVzdC9iLmpwZw", "/unsafe/w:9"),
        ("/unsafe/w:9/aHR0cDovL2EudGVzdC9iLmpwZz90b2tlbj14/cat.png", "/unsafe/w:9"),
        ("/unsafe/w:9/aHR0cDovL2EudGVzdC9iLmpwZw.png", "/unsafe/w:9/aHR0cDovL2EudGVzdC9iLmpwZw.png"),
        ("/unsafe/plain/http://a.test/b.jpg@png", "/unsafe/plain/http://a.test/b.jpg@png"),
        ("/unsafe/plain/local:///b.jpg@png", "/unsafe/plain/local:///b.jpg@png"),
        ("/unsafe/plain/local%3A%2F%2F%2Fb.jpg@png", "/unsafe/plain/local%3A%2F%2F%2Fb.jpg@png"),
        (
            "/unsafe/300x200/filters:fill(red)/a.test/b@2x.jpg",
            "/unsafe/300x200/filters:fill(red)/a.test/b@2x.jpg"
        ),
        ("/unsafe/plain/http://a.test:80/b.jpg@png", "/unsafe/plain/http://a.test:80/b.jpg@png"),
        ("/unsafe/plain/http://[::1]:80/b.jpg@png", "/unsafe/plain/http://[::1]:80/b.jpg@png"),
        (
            "/unsafe/rs:fit:300:200/w:9/plain/http://a.test/b",
            "/unsafe/rs:fit:300:200/w:9/plain/http://a.test/b"
        ),
        ("/a?token=x", "/a"), ("?", ""), ("/%3", "/%3"), ("/%25", "/%25"),
        ("/" + String(repeating: "é", count: 200), "/" + String(repeating: "é", count: 149) + "\u{FFFD}"),
    ])
    func `a logged path ends before the query, however that is encoded`(
        target: String,
        path: String
    ) {
        #expect(Self.path(of: target) == path)
    }

    /// Sources with a user, in all spellings of proxies and clients.
    private static let sources = [
        "https://user:Qw-cret@a.test/b.jpg", "https:/user:Qw-cret@a.test/b.jpg",
        "https:user:Qw-cret@a.test/b.jpg", "https:///user:Qw-cret@a.test/b.jpg",
        "HTTPS:\\\\user:Qw-cret@a.test/b.jpg", "https:/\\user:Qw-cret@a.test",
        "https://user:Qw%2Fcret@a.test/b.jpg", "https://user:Qw%252Fcret@a.test/b.jpg",
        "https://user:Qw%40cret@a.test/b.jpg", "https://user:Qw/cret@a.test/b.jpg",
        "ftp://user:Qw-cret@a.test/b.jpg",
        "user:Qw-cret@a.test/b.jpg", "local:Qw-cret@a.test/b.jpg", "https://local:Qw-cret@a.test/b.jpg",
        "https://\(String(repeating: "u", count: 400)):Qw-cret@a.test/b.jpg",
        "https://user:Qw-cret\(String(repeating: "p", count: 400))@a.test/b.jpg",
        "https://user:Qw-cret\(String(repeating: "%2F", count: 400))@a.test/b.jpg",
    ]

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 0x30 || byte > 0x7A || byte == 0x3A || byte == 0x40
                ? "%" + (digits.count < 2 ? "0" : "") + digits : String(decoding: [byte], as: UTF8.self)
        }.joined()
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    @Test(arguments: sources)
    func `a logged path contains no password, whatever the spelling and start of the source`(source: String) {
        for form in [source, Self.encoded(source), Self.encoded(Self.encoded(source))] {
            for start in ["/unsafe/plain/", "/sig/w:1/plain/", "/thumbor/unsafe/300x200/", "/", ""] {
                for length in [0, 200, 260, 290] {
                    let target = start + String(repeating: "a", count: length) + "/" + form
                    let path = Self.path(of: target) ?? ""
                    #expect(!path.contains("Q"), "\(target): \(path)")
                    #expect(path.hasPrefix((start + String(repeating: "a", count: length)).prefix(300)))
                    #expect(path.utf8.count <= 300)
                }
            }
        }
    }

    @Test(arguments: sources)
    func `a logged path contains no base64 with a password`(source: String) {
        for form in [source, Self.encoded(source)] {
            let digits = Self.base64(form)
            let divided = digits.enumerated().map { $0 % 16 == 15 ? "\($1)/" : "\($1)" }.joined()
            let plain = Data(form.utf8).base64EncodedString()
            for text in [digits, divided, plain, Self.encoded(plain), digits + ".png"] {
                for length in [1, 250] {
                    let start = "/unsafe/" + String(repeating: "a", count: length)
                    #expect(Self.path(of: "\(start)/\(text)") == start, "\(form): \(text)")
                }
            }
        }
    }

    @Test func `the logged source contains no user from the path of a URL`() async throws {
        let sources = SharedState<[String]>([])
        struct Recorder: ServiceObserver {
            let sources: SharedState<[String]>
            func didRespond(_ record: ServiceRecord) {
                sources.withLock { $0.append(record.source ?? "") }
            }
        }
        let bench = try ServiceBench()
        let service = bench.service { $0.observer = Recorder(sources: sources) }
        for path in [
            "https:%2F%2Fuser:Qw-cret%40b.test", "https%3A%2F%2Fuser%3AQw-cret%40b.test", "c.jpg%3FQw-cret",
        ] {
            _ = try await service.response(to: ServiceRequest(target: "/unsafe/plain/http://a.test/\(path)"))
        }
        #expect(sources.value.count == 3)
        for source in sources.value {
            #expect(source.hasPrefix("http://a.test/") && !source.contains("cret"), "\(source)")
        }
    }

    @Test(arguments: sources)
    func `the error of a refused URL contains no password`(source: String) async throws {
        let bench = try ServiceBench()
        let key = SigningKey(key: [1], salt: [2])
        let signed = bench.service { $0.imgproxy?.signature = ImgproxySignature(keys: [key]) }
        for service in [bench.service(), signed] {
            for form in [source, Self.encoded(source), Self.base64(source), Self.base64(source) + "+"] {
                for start in ["/unsafe/plain/", "/unsafe/", "/unsafe/w:1/", "/thumbor/unsafe/", "/", "/x/"] {
                    // Base64 may be parsed as a host.
                    let result = Result { () throws(RequestError) in try service.rendering(of: start + form) }
                    guard case .failure(let error) = result else { continue }
                    let detail = error.detail
                    #expect(!detail.contains("cret"), "\(start + form): \(detail)")
                }
            }
        }
    }

    @Test(arguments: ["https://a.test/wm.png?token=Qw-cret", "https://user:Qw-cret@a.test/wm.png"])
    func `a logged path contains no secret of a watermark`(watermark: String) {
        let encoded = Self.base64(watermark)
        for start in ["wmu:", "watermark_url%3A", "wmu!", "fiu:", "fallback_image_url~"] {
            for end in ["/plain/http://a.test/b.jpg", "", ":1/w:9/"] {
                #expect(Self.path(of: "/unsafe/wm:1/\(start)\(encoded)\(end)") == "/unsafe/wm:1/\(start)")
            }
        }
    }

    @Test func `sources without a secret hide none behind them`() {
        let (open, secret) = (
            Self.base64("https://a.test/wm.png"), Self.base64("https://a.test/b.jpg?token=Qw-cret")
        )
        for first in ["/unsafe/wmu:\(open)", "/\(open)", "/unsafe/\(open).png"] {
            #expect(Self.path(of: first) == first)
            #expect(Self.path(of: "\(first)/\(secret)") == first || !first.hasPrefix("/unsafe"))
            #expect(Self.path(of: "\(first)/\(secret)")?.contains(secret) == false)
        }
        // The cost of a path is limited.
        let many = Array(repeating: Self.base64("a:b"), count: 50).joined(separator: ":")
        #expect(Self.path(of: "/unsafe/x:\(many)") == "/unsafe/x:" + many.prefix(8 * 5))
    }
}
