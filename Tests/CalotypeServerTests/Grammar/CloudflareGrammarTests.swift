import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@testable import CalotypeServer

/// The documented options of Cloudflare's image transformations.
@Suite(.blocking) struct CloudflareGrammarTests {
    private static func grammar(_ widths: [Int] = Array(1...2_000)) throws -> CloudflareGrammar {
        let site = try SiteOrigin("https://shop.test")
        return CloudflareGrammar(widths: try #require(AllowedWidths(widths)), site: site)
    }

    private static func rendering(_ options: String, _ source: String = "a.jpg") throws -> Rendering {
        try grammar().rendering(of: "/cdn-cgi/image/\(options)/\(source)")
    }

    private static func result(_ options: String, of picture: Image) throws -> Image {
        try rendering(options).transforms.apply(to: picture)
    }

    /// Sizes of an image of 1080×720, most of them examples of the documentation.
    @Test(arguments: [
        ("width=500,height=500", 500, 333), ("width=2000,height=2000", 1_080, 720), ("w=500", 500, 333),
        ("h=360", 540, 360), ("fit=scale-down,w=500,h=500", 500, 333),
        ("fit=contain,w=500,h=500", 500, 333), ("fit=contain,w=1620,h=2000", 1_620, 1_080),
        ("fit=cover,w=500,h=500", 500, 500), ("fit=cover,w=1296,h=1296", 1_296, 1_296),
        ("fit=crop,w=500,h=500", 500, 500), ("fit=crop,w=1296,h=1296", 1_080, 720),
        ("fit=aspect-crop,w=500,h=500", 500, 500), ("fit=aspect-crop,w=1296,h=1296", 720, 720),
        ("fit=pad,w=1080,h=1080", 1_080, 1_080), ("fit=pad,w=500,h=500", 500, 500),
        ("fit=pad,w=500", 500, 333), ("fit=squeeze,w=1080,h=540", 1_080, 540),
        ("fit=squeeze,w=1900,h=10", 1_900, 10), ("fit=squeeze,w=540", 540, 360), ("fit=cover", 1_080, 720),
        ("w=300,h=200,dpr=2", 600, 400), ("w=300,dpr=1.5", 450, 300), ("w=900,dpr=2", 1_080, 720),
        ("rotate=90", 720, 1_080), ("rotate=270,w=360", 360, 540), ("rotate=180,w=540", 540, 360),
        ("trim=20;30;20;0", 1_050, 680), ("trim=20%3B30%3B20%3B0,w=525", 525, 340),
        ("trim.width=678,trim.height=600,trim.left=30,trim.top=40", 678, 600), ("trim.left=80", 1_000, 720),
        ("trim=10;10;10;10,dpr=2", 1_040, 680), ("trim.width=5000", 1_080, 720),
        ("quality=75", 1_080, 720), ("width%3D500%2Cheight%3D500", 500, 333),
    ])
    func `an image has the documented size`(options: String, width: Int, height: Int) throws {
        let picture = TestImages.asymmetric(PixelSize(width: 1_080, height: 720), format: .gray8)
        let size = try Self.result(options, of: picture).size
        #expect(size == PixelSize(width: width, height: height))
    }

    @Test func `a small image keeps its size, and is cropped to the ratio by aspect-crop`() throws {
        let picture = TestImages.asymmetric(PixelSize(width: 612, height: 613), format: .gray8)
        let size = try Self.result("fit=aspect-crop,w=1920,h=1120", of: picture).size
        #expect(size == PixelSize(width: 612, height: 357))
    }

    @Test(arguments: [(1, 320), (321, 640), (5_000, 640)])
    func `a width is rounded up to the list, before the density is applied`(width: Int, across: Int) throws {
        let picture = TestImages.asymmetric(PixelSize(width: 1_080, height: 720), format: .gray8)
        let grammar = try Self.grammar([320, 640])
        let rendering = try grammar.rendering(of: "/cdn-cgi/image/w=\(width)/a.jpg")
        #expect(try rendering.transforms.apply(to: picture).size.width == across)
        let dense = try grammar.rendering(of: "/cdn-cgi/image/fit=pad,w=200,h=100,dpr=2/a.jpg")
        #expect(try dense.transforms.apply(to: picture).size == PixelSize(width: 640, height: 320))
    }

    // MARK: Pixels

    /// An image of four colours: red and green above blue and white.
    private static let quarters: Image = {
        let bytes = (0..<64).flatMap { index -> [UInt8] in
            switch (index % 8 < 4, index / 8 < 4) {
            case (true, true): [200, 0, 0]
            case (false, true): [0, 100, 0]
            case (true, false): [0, 0, 100]
            case (false, false): [250, 250, 250]
            }
        }
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        return Image(size: PixelSize(width: 8, height: 8), pixelFormat: .rgb8, pixels: pixels)
    }()

    private static func corner(_ options: String) throws -> [UInt8] {
        try result(options, of: quarters).bytes(x: 0, y: 0)
    }

    @Test(
        arguments: [
            ("flip=h", [0, 100, 0]), ("flip=v", [0, 0, 100]), ("flip=hv", [250, 250, 250]),
            ("rotate=90", [0, 0, 100]), ("rotate=270", [0, 100, 0]), ("rotate=180", [250, 250, 250]),
            // Flipped first, then rotated.
            ("flip=h,rotate=90", [250, 250, 250]), ("flip=v,rotate=90", [200, 0, 0]),
            ("flip=h,rotate=180", [0, 0, 100]), ("flip=h,rotate=270", [200, 0, 0]),
            ("fit=crop,w=4,h=8,gravity=right", [0, 100, 0]), ("fit=crop,w=4,h=8,gravity=left", [200, 0, 0]),
            ("fit=crop,w=8,h=4,g=bottom", [0, 0, 100]), ("fit=crop,w=8,h=4,g=top", [200, 0, 0]),
            ("fit=crop,w=4,h=8,g=1x0.5", [0, 100, 0]), ("fit=crop,w=8,h=4,g=0x1", [0, 0, 100]),
            ("trim=4;0;0;4", [250, 250, 250]), ("brightness=0.5", [100, 0, 0]),
            ("brightness=2", [255, 0, 0]),
            ("brightness=0", [200, 0, 0]), ("saturation=1", [200, 0, 0]), ("contrast=0", [200, 0, 0]),
            ("gamma=1", [200, 0, 0]),
        ] as [(String, [UInt8])]
    )
    func `the top left pixel is the documented one`(options: String, pixel: [UInt8]) throws {
        let found = try Self.corner(options)
        #expect(zip(found, pixel).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(found)")
    }

    @Test func `grey has no colour, and gamma brightens dark parts`() throws {
        let grey = try Self.corner("saturation=0")
        #expect(grey[0] == grey[1] && grey[1] == grey[2])
        #expect(try Self.corner("gamma=2")[0] > 200 && Self.corner("gamma=0.5")[0] < 200)
        let picture = Self.quarters
        #expect(try Self.result("blur=20", of: picture).bytes(x: 3, y: 3) != picture.bytes(x: 3, y: 3))
        let sharpened = try Self.result("sharpen=3", of: picture)
        #expect([UInt8](sharpened.rgba8()) != [UInt8](picture.rgba8()))
        let same = try Self.result("sharpen=0", of: picture)
        #expect([UInt8](same.rgba8()) == [UInt8](picture.rgba8()))
    }

    @Test(
        arguments: [
            ("fit=pad,w=16,h=8", [255, 255, 255]), ("fit=pad,w=16,h=8,background=red", [255, 0, 0]),
            ("fit=pad,w=16,h=8,background=%23102030", [16, 32, 48]),
            ("fit=pad,w=16,h=8,background=rgb%28240%2C40%2C145%29", [240, 40, 145]),
            ("fit=pad,w=16,h=8,background=rgb%281%202%203%29", [1, 2, 3]),
            ("fit=pad,w=16,h=8,background=rgba%281%2C2%2C3%2C1%29", [1, 2, 3]),
        ] as [(String, [UInt8])]
    )
    func `padding is white, or has the colour of background`(options: String, pixel: [UInt8]) throws {
        #expect(try Self.corner(options).prefix(3).elementsEqual(pixel))
    }

    @Test func `a background lies under transparent pixels`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 8, height: 8),
            color: RGBColor(red: 0, green: 0, blue: 0)
        )
        let pixel = try Self.result("background=%23ff8000", of: disc).bytes(x: 0, y: 0)
        #expect(pixel.prefix(3) == [255, 128, 0])
    }

    // MARK: Results

    @Test func `a baseline JPEG is never progressive, and the last format wins`() throws {
        #expect(try Self.rendering("f=baseline-jpeg").quality.encoders.isJPEGProgressive == false)
        for options in ["f=jpeg", "f=baseline-jpeg,f=jpeg"] {
            #expect(try Self.rendering(options).quality.encoders.isJPEGProgressive == nil)
        }
    }

    @Test func `the format is the source's, unless the URL names one or auto`() throws {
        #expect(try Self.rendering("w=1").output == .preserved)
        #expect(try !Self.rendering("w=1").isNegotiated && Self.rendering("format=auto").isNegotiated)
        for (name, format) in [
            ("avif", ImageFormat.avif), ("webp", .webP), ("jpeg", .jpeg), ("baseline-jpeg", .jpeg),
        ] {
            #expect(try Self.rendering("f=\(name)").output == .format(format))
        }
    }

    @Test func `quality, animation and copyright are those of the URL`() throws {
        let rendering = try Self.rendering("q=50,anim=false,metadata=copyright")
        #expect(rendering.quality.quality == 50 && rendering.frames == .first)
        #expect(rendering.keepsCopyright == true && rendering.stripsMetadata == true)
        let other = try Self.rendering("anim=true,metadata=none")
        #expect(other.frames == .all && other.keepsCopyright == false && other.quality.quality == nil)
        #expect(other.stripsMetadata == true)
        #expect(try Self.rendering("w=1").stripsMetadata == nil)
        #expect(try Self.rendering("upscale=interpolate,w=1,w=2").transforms.isEmpty == false)
    }

    @Test(arguments: [
        ("a.jpg", "https://shop.test/a.jpg", "/a.jpg"),
        ("up/a%20b.jpg?v=1&w=2", "https://shop.test/up/a%20b.jpg?v=1&w=2", "/up/a%20b.jpg?v=1&w=2"),
        ("https://img.shop.test/a.jpg", "https://img.shop.test/a.jpg", "https://img.shop.test/a.jpg"),
        ("https:/shop.test/a.jpg", "https://shop.test/a.jpg", "https://shop.test/a.jpg"),
        ("https://s3.test/bucket/a.png", "https://s3.test/bucket/a.png", nil),
        ("https%3A%2F%2Fs3.test%2Fa.png", "https://s3.test/a.png", nil),
        ("http://notshop.test/a.png", "http://notshop.test/a.png", nil),
    ])
    func `the source is a path of the site or a URL, and errors redirect only within the site`(
        text: String,
        source: String,
        redirect: String?
    ) throws {
        let rendering = try Self.rendering("w=1,onerror=redirect", text)
        #expect(rendering.source.description == source)
        #expect(rendering.delivery.errorRedirect == redirect)
        #expect(try Self.rendering("w=1", text).delivery.errorRedirect == nil)
    }

    @Test(arguments: [
        ("/\u{FE0F}evil.test/a", "/%EF%B8%8Fevil.test/a"), ("\u{301}/a b", "/%CC%81/a%20b"),
        ("/\u{301}?q=\u{E9}#f", "/%CC%81?q=%C3%A9"),
    ])
    func `a redirect is an ASCII path, also if a mark combines with its slash`(text: String, place: String)
        throws
    {
        let target = "/cdn-cgi/image/w=1,onerror=redirect/\(text.replacing(" ", with: "%20"))"
        let rendering = try Self.grammar().rendering(of: target)
        #expect(rendering.delivery.errorRedirect == place)
        #expect(rendering.source.description == "https://shop.test\(place)")
    }

    @Test(arguments: [
        ("w=0", RequestError.Code.invalidOption), ("w=-1", .invalidOption), ("w=1e3", .invalidOption),
        ("w=100001", .invalidOption), ("w=", .invalidOption), ("w", .invalidOption), ("w=1,", .invalidOption),
        ("w=auto", .unsupportedOption), ("h=0", .invalidOption), ("fit=scale-up", .invalidOption),
        ("fit=", .invalidOption), ("dpr=0", .invalidOption), ("dpr=11", .invalidOption),
        ("dpr=nan", .invalidOption), ("g=face", .unsupportedOption), ("g=2x0", .invalidOption),
        ("g=0", .invalidOption), ("g=0x0x0", .invalidOption), ("rotate=45", .invalidOption),
        ("rotate=0", .invalidOption), ("rotate=360", .invalidOption), ("flip=x", .invalidOption),
        ("trim=1;2;3", .invalidOption), ("trim=1;2;3;4;5", .invalidOption), ("trim=-1;0;0;0", .invalidOption),
        ("trim=border", .unsupportedOption), ("trim.width=0", .invalidOption), ("blur=0", .invalidOption),
        ("blur=251", .invalidOption), ("sharpen=11", .invalidOption), ("brightness=-1", .invalidOption),
        ("brightness=9", .invalidOption), ("gamma=11", .invalidOption), ("contrast=5", .invalidOption),
        ("background=nocolour", .invalidOption), ("background=rgb%281%2C2%29", .invalidOption),
        ("background=rgba%281%2C2%2C3%2C0%29", .unsupportedOption), ("q=0", .invalidOption),
        ("q=101", .invalidOption), ("q=high", .unsupportedOption), ("q=low", .unsupportedOption),
        ("format=json", .unsupportedOption), ("format=png", .invalidOption), ("anim=1", .invalidOption),
        ("metadata=keep", .unsupportedOption), ("metadata=all", .invalidOption),
        ("onerror=x", .invalidOption),
        ("upscale=generate", .unsupportedOption), ("segment=foreground", .unsupportedOption),
        ("compression=fast", .unsupportedOption), ("scq=50", .unsupportedOption),
        ("zoom=0", .unsupportedOption),
        ("face-zoom=0", .unsupportedOption), ("border=1", .unsupportedOption), ("draw=x", .unsupportedOption),
        ("foo=1", .unknownOption), ("w=\u{301}1", .invalidOption), ("w%3D%CC%811", .invalidOption),
        ("W=1", .unknownOption), ("%zz=1", .unknownOption),
        ("w=%zz", .invalidOption),
    ])
    func `an option without a result is refused by name`(options: String, code: RequestError.Code) throws {
        #expect(refusal { _ = try Self.rendering(options) } == code, "\(options)")
    }

    @Test(arguments: [
        "/cdn-cgi/image/", "/cdn-cgi/image/w=1", "/cdn-cgi/image//a.jpg", "/cdn-cgi/image/w=1/a\u{1}",
    ])
    func `a path without options or a source is refused`(target: String) throws {
        #expect(refusal { _ = try Self.grammar().rendering(of: target) } == .malformedPath)
    }

    @Test(arguments: [
        "//evil.test/a", "../a", "%2e%2e/a", "cdn-cgi/image/w=1/a.jpg", "x/_next/image?url=/a", "\\evil.test",
        "https://", "https://u@shop.test/a",
    ])
    func `an ambiguous source, or one of this service, is refused`(source: String) throws {
        #expect(refusal { _ = try Self.rendering("w=1", source) } == .invalidSource, "\(source)")
    }

    @Test func `a thousand options are refused, and a trim that leaves nothing is an error of the image`()
        throws
    {
        let many = Array(repeating: "w=1", count: 1_000).joined(separator: ",")
        #expect(refusal { _ = try Self.rendering(many) } == .pathTooLong)
        let long = String(repeating: "a", count: 9_000)
        #expect(refusal { _ = try Self.rendering("w=1", long) } == .pathTooLong)
        let rendering = try Self.rendering("trim=8;0;0;0")
        #expect(throws: TransformError.self) { try rendering.transforms.apply(to: Self.quarters) }
        let overlapping = try Self.rendering("trim=0;5;0;5")
        #expect(throws: TransformError.self) { try overlapping.transforms.apply(to: Self.quarters) }
    }

    @Test func `options that differ in pixels differ in their request`() throws {
        let texts = [
            "w=8", "h=8", "w=8,h=8", "fit=cover,w=8,h=8", "fit=pad,w=8,h=8", "fit=pad,w=8,h=8,background=red",
            "trim=1;0;0;0", "trim=0;1;0;0", "trim.width=7", "flip=h", "flip=v", "rotate=90", "blur=2",
            "blur=3",
            "sharpen=1", "gamma=2", "contrast=2", "brightness=2", "saturation=2", "f=webp", "q=5",
            "anim=false",
        ]
        let requests = try texts.map { try Self.rendering($0).request() }
        #expect(Set(requests).count == texts.count)
    }
}

extension Image {
    /// The bytes of a pixel.
    fileprivate func bytes(x: Int, y: Int) -> [UInt8] {
        let step = pixelFormat.bytesPerPixel
        return pixels.withUnsafeBytes { Array($0[(y * bytesPerRow + x * step)...].prefix(step)) }
    }
}
