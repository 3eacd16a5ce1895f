import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// URLs of Next.js and Cloudflare, answered by a whole service.
@Suite(.blocking) struct GuardedGrammarTests {
    private static func service(
        _ bench: ServiceBench,
        _ configure: (inout ImageService.Configuration) -> Void = { _ in }
    ) throws -> ImageService {
        let widths = try #require(AllowedWidths([40, 60]))
        let site = try SiteOrigin("http://src.test")
        let places = try SourcePolicy(["src.test"])
        return bench.service {
            $0.nextImage = NextImageGrammar(widths: widths, site: site)
            $0.cloudflare = CloudflareGrammar(widths: widths, site: site)
            $0.sources = places
            configure(&$0)
        }
    }

    private func ask(
        _ service: ImageService,
        _ target: String,
        _ accept: String? = nil
    ) async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: target, accept: accept))
    }

    private func size(_ answer: ServiceResponse) throws -> PixelSize {
        try CodecRegistry.publicWeb.info(of: answer.body, limits: DecodeLimits()).size
    }

    @Test func `a URL of Next.js is negotiated, and shares its result with other grammars`() async throws {
        let service = try Self.service(try ServiceBench())
        let target = "/_next/image?url=%2Fphoto.jpg&w=60&q=50"
        let webP = try await ask(service, target, "image/webp,*/*")
        #expect(webP.status == 200 && webP["Content-Type"] == "image/webp" && webP["Vary"] == "Accept")
        #expect(try size(webP) == PixelSize(width: 60, height: 45))
        let jpeg = try await ask(service, target, "*/*")
        #expect(jpeg["Content-Type"] == "image/jpeg" && jpeg["Vary"] == "Accept")
        #expect(jpeg["Content-Disposition"] == "inline; filename=\"photo.jpg\"")
    }

    @Test(arguments: ["/_next/image?url=%2Fphoto.jpg&w=60&q=50", "/cdn-cgi/image/w=60/photo.jpg"])
    func `a response is fresh no longer than the file of the site`(target: String) async throws {
        let service = try Self.service(try ServiceBench()) { $0.caching.staleWhileRevalidate = nil }
        #expect(try await ask(service, target)["Cache-Control"] == "public, max-age=600")
        let other = try await ask(service, "/unsafe/w:60/\(examplePath)")
        #expect(other["Cache-Control"] == "public, max-age=31536000")
    }

    @Test func `a URL of Cloudflare has the source's format, or the negotiated one for format=auto`()
        async throws
    {
        let service = try Self.service(try ServiceBench())
        let plain = try await ask(service, "/cdn-cgi/image/width=50/photo.jpg", "image/webp")
        #expect(plain["Content-Type"] == "image/jpeg" && plain["Vary"] == nil)
        #expect(try size(plain) == PixelSize(width: 60, height: 45))
        let auto = try await ask(service, "/cdn-cgi/image/w=50,f=auto/photo.jpg", "image/webp")
        #expect(auto["Content-Type"] == "image/webp" && auto["Vary"] == "Accept")
        let same = try await ask(service, "/cdn-cgi/image/w=41/photo.jpg")
        #expect(same["X-Cache"] == "memory", "both widths are rounded to 60")
    }

    @Test(arguments: [
        ("/_next/image?url=%2Fphoto.jpg&w=50&q=50", 404, "invalidOption"),
        ("/_next/image?url=http%3A%2F%2Fevil.test%2Fa&w=60&q=50", 403, "sourceNotAllowed"),
        ("/cdn-cgi/image/w=60/http://evil.test/a", 403, "sourceNotAllowed"),
        ("/cdn-cgi/image/w=60,onerror=redirect/http://evil.test/a", 403, "sourceNotAllowed"),
        ("/cdn-cgi/image/w=60,border=1/photo.jpg", 422, "unsupportedOption"),
        ("/cdn-cgi/image/w=60,foo=1/photo.jpg", 404, "unknownOption"),
        ("/_next/imagex?url=/photo.jpg&w=60&q=50", 404, "invalidSource"),
    ])
    func `a URL that is not allowed is refused before loading`(
        target: String,
        status: Int,
        code: String
    ) async throws {
        let bench = try ServiceBench()
        let answer = try await ask(try Self.service(bench), target)
        #expect(answer.status == status && answer["Location"] == nil)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(code), "\(target)")
        #expect(bench.loader.requests.isEmpty)
    }

    @Test func `both grammars are disabled by default, whatever the signature`() async throws {
        let bench = try ServiceBench()
        let service = bench.service()
        for target in ["/_next/image?url=/photo.jpg&w=60&q=50", "/cdn-cgi/image/w=60/photo.jpg"] {
            let answer = try await ask(service, target)
            #expect(answer.status == 404)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("malformedPath"))
        }
        #expect(bench.loader.requests.isEmpty)
    }

    @Test(arguments: [
        ("/cdn-cgi/image/w=60,onerror=redirect/a.jpg?v=1", 302, "/a.jpg?v=1"),
        ("/cdn-cgi/image/w=60,onerror=redirect/http://src.test/a.jpg", 302, "http://src.test/a.jpg"),
        ("/cdn-cgi/image/w=60/a.jpg", 502, nil),
    ])
    func `an image that fails redirects to its source, if the URL says so`(
        target: String,
        status: Int,
        place: String?
    ) async throws {
        let bench = try ServiceBench { _, _ in
            throw FetchError(.unacceptableStatus, status: 500, detail: "")
        }
        let answer = try await ask(try Self.service(bench), target)
        #expect(answer.status == status && answer["Location"] == place)
        #expect(answer["Cache-Control"] == "no-store")
    }

    // MARK: Client hints

    private func hinted(
        _ service: ImageService,
        _ target: String,
        _ fields: [String: String]
    ) async throws -> ServiceResponse {
        var request = ServiceRequest(target: target)
        request.hints = service.hints { fields[$0] }
        return try await service.response(to: request)
    }

    @Test(
        arguments: [
            ("", [:], 120), ("", ["DPR": "2", "Width": "60"], 100), ("", ["Sec-CH-Width": "100"], 100),
            ("/w:30", ["DPR": "2"], 60), ("/w:30", ["Sec-CH-DPR": "1.1", "DPR": "3"], 38),
            ("/w:30/dpr:1", ["DPR": "2"], 30),
            ("/w:30", ["Width": "100"], 30), ("/w:30", ["DPR": "0"], 30), ("/w:30", ["DPR": "9"], 30),
            ("/w:30", ["DPR": "nan"], 30), ("/w:30", ["DPR": "-2"], 30), ("", ["Width": "-1"], 120),
            ("", ["Width": "1e2"], 120), ("", ["Width": String(repeating: "9", count: 40)], 120),
        ] as [(String, [String: String], Int)]
    )
    func `client hints are defaults of width and density, below the options of the URL`(
        options: String,
        fields: [String: String],
        width: Int
    ) async throws {
        let service = try ServiceBench().service { $0.usesClientHints = true }
        let answer = try await hinted(service, "/unsafe\(options)/\(examplePath)", fields)
        #expect(answer.status == 200)
        #expect(try size(answer).width == width)
        #expect(answer["Vary"] == "Accept, Sec-CH-DPR, DPR, Sec-CH-Width, Width")
        #expect(answer["Accept-CH"] == "Sec-CH-DPR, DPR, Sec-CH-Width, Width")
    }

    @Test func `hints that round to the same values share one result`() async throws {
        let service = try ServiceBench().service { $0.usesClientHints = true }
        _ = try await hinted(service, "/unsafe/w:20/\(examplePath)", ["DPR": "1.51"])
        let again = try await hinted(service, "/unsafe/w:20/\(examplePath)", ["DPR": "1.7"])
        #expect(again["X-Cache"] == "memory")
    }

    @Test func `each density has a result with the watermark`() async throws {
        let mark = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let service = try ServiceBench().service {
            $0.usesClientHints = true
            $0.watermark = WatermarkImage(data: mark)
        }
        for (density, width) in [("1", 30), ("2", 60), ("1", 30)] {
            let answer = try await hinted(service, "/unsafe/w:30/wm:1/\(examplePath)", ["DPR": density])
            #expect(try size(answer).width == width)
        }
    }

    // Without thumbor, `thumbor` is read as the signature, in place of which any word is valid.
    @Test func `hints apply to each client alone, whatever word stands for the signature`() async throws {
        let service = try ServiceBench().service {
            $0.usesClientHints = true
            $0.thumbor = nil
        }
        for (density, width) in [("2", 60), ("1", 30)] {
            let answer = try await hinted(service, "/thumbor/w:30/\(examplePath)", ["DPR": density])
            #expect(try size(answer).width == width)
            #expect(answer["Vary"] == "Accept, Sec-CH-DPR, DPR, Sec-CH-Width, Width")
        }
    }

    @Test func `client hints have no effect unless configured, and none in other grammars`() async throws {
        let service = try ServiceBench().service()
        var request = ServiceRequest(target: "/unsafe/w:30/\(examplePath)")
        request.hints = ClientHints(density: "2", width: nil)
        let plain = try await service.response(to: request)
        #expect(plain["Vary"] == "Accept" && plain["Accept-CH"] == nil)
        #expect(try size(plain).width == 30)
        let other = try ServiceBench().service { $0.usesClientHints = true }
        let thumbor = try await hinted(other, "/thumbor/unsafe/30x0/src.test/photo.jpg", ["DPR": "2"])
        #expect(try thumbor["Vary"] == "Accept" && size(thumbor).width == 30)
    }

    @Test func `a preset takes precedence over hints`() async throws {
        let presets = try ImgproxyPresets(["default=dpr:1/w:40"])
        let service = try ServiceBench().service {
            $0.usesClientHints = true
            $0.imgproxy?.presets = presets
        }
        let answer = try await hinted(service, "/unsafe/\(examplePath)", ["DPR": "2", "Width": "100"])
        #expect(try size(answer).width == 40)
    }

    /// Each level would hold a connection to the site until the next one has answered.
    @Test(arguments: [
        "/_next/image?url=http%3A%2F%2Fsrc.test%2F_next%2Fimage%3Furl%3D%252Fa.jpg%26w%3D60%26q%3D5&w=60&q=5",
        "/_next/image?url=http%3A%2F%2FSRC.test%2Fcdn-cgi%2Fimage%2Fw%3D60%2Fphoto.jpg&w=60&q=50",
        "/cdn-cgi/image/w=60/http://src.test/cdn-cgi/image/w=60/photo.jpg",
        "/cdn-cgi/image/w=60/http%3A%2F%2Fsrc.test%2Fcdn-cgi%2Fimage%2Fw=60%2Fphoto.jpg",
        "/cdn-cgi/image/w=60/http://www.src.test/cdn-cgi//./image/w=60/photo.jpg",
        "/cdn-cgi/image/w=60/cdn-cgi/%252e/%2569mage/w=60/photo.jpg",
    ])
    func `a source with a path of this service is refused, by whole URL too`(target: String) async throws {
        let bench = try ServiceBench()
        let answer = try await ask(try Self.service(bench), target)
        #expect(answer.status == 404)
        #expect(bench.loader.requests.isEmpty)
    }
}
