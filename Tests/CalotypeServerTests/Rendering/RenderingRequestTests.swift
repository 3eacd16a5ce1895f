import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct RenderingRequestTests {
    private static func rendering(_ tail: String) throws -> Rendering {
        try ImgproxyGrammar().rendering(of: "/unsafe/\(tail)")
    }

    @Test func `a request respects HTTP freshness and has the decoding and encoding of its rendering`() throws
    {
        let request = try Self.rendering("w:10/ar:0/da:1/\(examplePath)@webp").request()
        #expect(request.url.absoluteString == "http://src.test/photo.jpg")
        #expect(request.httpCaching == .respectsHTTP)
        #expect(request.decoding.frames == .first && !request.decoding.appliesOrientation)
        #expect(request.encoding == .webP(quality: 79))
    }

    @Test(arguments: [
        ("q:7", 7), ("fq:avif:9:webp:8", 9), ("fq:webp:8", 63), ("q:7/fq:avif:9", 7), ("w:1", 63),
    ])
    func `the quality is the URL's, then the format's in the URL, then the service's`(
        options: String,
        quality: Int
    ) throws {
        // Effort 2 of 9 is libavif's speed 8, the default of the service.
        let adjustment = EncodeAdjustment(quality: quality, effort: 2)
        let encoding = ImageEncoding(try AVIFEncoder().adjusted(by: adjustment))
        let rendering = try Self.rendering("\(options)/\(examplePath)")
        #expect(try rendering.request(negotiated: .avif).encoding == encoding)
        #expect(try Self.rendering("\(options)/\(examplePath)@avif").request().encoding == encoding)
    }

    @Test func `Accept applies only if the URL names no format`() throws {
        let named = try Self.rendering("\(examplePath)@png")
        #expect(try named.request(negotiated: .avif).encoding?.format == .png)
    }

    @Test func `equal renderings of two grammars are one request`() throws {
        let left = try ImgproxyGrammar().rendering(of: "/unsafe/q:50/\(examplePath)@webp")
        let right = try ThumborGrammar().rendering(
            of: "/unsafe/filters:format(webp):quality(50)/http://src.test/photo.jpg"
        )
        #expect(left == right)
        #expect(try left.request() == right.request())
    }

    @Test func `options that change no pixel change no request`() throws {
        let plain = try Self.rendering(examplePath).request()
        #expect(try Self.rendering("cb:x/fn:y/att:1/exp:9999999999/\(examplePath)").request() == plain)
        #expect(try Self.rendering("rs:fit:0:0/g:ce/\(examplePath)").request() == plain)
        #expect(try Self.rendering("w:1/\(examplePath)").request() != plain)
        #expect(try Self.rendering("q:1/\(examplePath)").request() != plain)
        #expect(try Self.rendering("mb:1000/\(examplePath)").request() != plain)
    }

    @Test func `a format without an encoder is refused before loading`() throws {
        let code = refusal { _ = try Self.rendering("\(examplePath)@jxl").request() }
        #expect(code == .unsupportedFormat)
    }

    @Test func `a byte limit is ignored for formats without a quality`() throws {
        let png = try Self.rendering("mb:1000/\(examplePath)@png").request()
        #expect(png.encoding == .png)
        let jpeg = try Self.rendering("mb:1000/\(examplePath)@jpg").request()
        #expect(jpeg.encoding != .jpeg(quality: 80) && jpeg.encoding?.format == .jpeg)
    }

    @Test func `if no quality fits the byte limit, the lowest is used`() throws {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        for format in ["jpg", "webp", "avif"] {
            let tail = "\(examplePath)@\(format)"
            let tight = try #require(Self.rendering("mb:1/\(tail)").request().encoding?.encoder)
            let plain = try #require(Self.rendering("q:10/\(tail)").request().encoding?.encoder)
            let lowest = try plain.adjusted(quality: 0)
            #expect(try tight.encode(picture) == lowest.encode(picture), "\(format)")
            let wide = try #require(Self.rendering("mb:100000/\(tail)").request().encoding?.encoder)
            #expect(try wide.encode(picture).count > lowest.encode(picture).count, "\(format)")
        }
        #expect(try Self.rendering("mb:1/q:5/\(examplePath)@jpg").request().encoding != nil)
    }

    @Test(arguments: [
        ("raw:1", ImageFormat.gif, true), ("skp:gif", .gif, true), ("skp:gif", .png, false),
        ("w:1", .gif, false),
        ("skp:gif:png/f:png", .gif, false), ("skp:gif:png/f:png", .png, true),
    ])
    func `the original is returned if the URL requests it`(
        options: String,
        format: ImageFormat,
        isOriginal: Bool
    ) throws {
        let rendering = try Self.rendering("\(options)/\(examplePath)")
        #expect(rendering.isOriginal(format) == isOriginal)
        #expect(rendering.originalRequest().encoding == nil)
    }

    @Test(arguments: [
        (ImageFormat.jpeg, PixelFormat.rgb8, ImageFormat.jpeg), (.webP, .rgba8, .webP), (.png, .rgb8, .png),
        (.tiff, .rgb8, .jpeg), (.bmp, .rgba8, .png), (.jpeg, .rgba8, .jpeg), (.gif, .rgb8, .gif),
    ])
    func `an image retains a format that browsers show, and is converted otherwise`(
        own: ImageFormat,
        pixels: PixelFormat,
        result: ImageFormat
    ) throws {
        let picture = TestImages.asymmetric(PixelSize(width: 8, height: 6), format: pixels)
        let image = Image(
            size: picture.size,
            pixelFormat: picture.pixelFormat,
            pixels: picture.pixels,
            format: own
        )
        let request = try Self.rendering(examplePath).request()
        let encoder = try #require(request.encoding?.encoder)
        let data = try encoder.encode(image)
        #expect(ImageFormat(sniffing: data) == result)
    }

    @Test(arguments: [
        (ImageFormat.avif, PixelFormat.rgb8, false, ImageFormat.jpeg), (.avif, .rgba8, false, .png),
        (.avif, .rgb8, true, .gif), (.webP, .rgb8, true, .webP), (.jpeg, .rgba8, false, .jpeg),
    ])
    func `an original in a refused format becomes one that every client shows`(
        own: ImageFormat,
        pixels: PixelFormat,
        isAnimated: Bool,
        result: ImageFormat
    ) throws {
        let size = PixelSize(width: 8, height: 6)
        let frames = FakeFrameSource(frameCount: 2, size: size, valueStep: 90)
        let picture = TestImages.asymmetric(size, format: pixels)
        let image = Image(
            size: size,
            pixelFormat: pixels,
            pixels: picture.pixels,
            format: own,
            animation: isAnimated ? Animation(source: frames) : nil
        )
        let refused: Set<ImageFormat> = own == .webP ? [.avif] : [.avif, .webP]
        let request = try Self.rendering(examplePath).request(refused: refused)
        let encoder = try #require(request.encoding?.encoder)
        #expect(ImageFormat(sniffing: try encoder.encode(image)) == result)
        let plain = try Self.rendering(examplePath).request()
        #expect(request != plain)
    }

    @Test func `a layout with a small result decodes at a small size`() throws {
        let chain = try Self.rendering("rs:fit:300:300/\(examplePath)").transforms
        let size = PixelSize(width: 1_200, height: 800)
        let plan = try chain.decodePlan(for: size)
        let target = PixelSize(width: 300, height: 200)
        #expect(plan.target.resultSize(for: size) == target)
        #expect(!chain.decodeGeometry.isEmpty)
        let small = TestImages.asymmetric(target)
        #expect(try plan.transforms(forDecoded: target).apply(to: small).size == target)
        #expect(try plan.transforms(forDecoded: size).apply(to: TestImages.asymmetric(size)).size == target)
    }

    @Test func `a result over the limit by density and padding is refused before rendering`() throws {
        for options in [
            "w:90000/h:90000/el:1", "pd:90000/dpr:100/el:1", "z:100/dpr:100/el:1", "rs:fit:99999:99999:1:1",
        ] {
            let chain = try Self.rendering("\(options)/\(examplePath)").transforms
            #expect(throws: TransformError.self, "\(options)") {
                try chain.apply(to: TestImages.asymmetric(PixelSize(width: 120, height: 80)))
            }
        }
    }
}
