import CalotypeCore
import CalotypeServer
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

/// Result sizes of thumbor 7.8 for an image of 1200×800.
@Suite(.blocking) struct ThumborGrammarTests {
    private static let source = "src.test/photo.jpg"

    private static func rendering(_ tail: String) throws -> Rendering {
        try ThumborGrammar().rendering(of: "/unsafe/\(tail)")
    }

    @Test(arguments: [
        ("", 1_200, 800), ("300x0/", 300, 200), ("0x335/", 502, 335), ("0x333/", 500, 333),
        ("-300x-200/", 300, 200),
        ("300xorig/", 300, 800), ("fit-in/2000x2000/", 1_200, 800), ("full-fit-in/300x300/", 450, 300),
        ("adaptive-fit-in/200x300/", 300, 200), ("10x20:610x420/", 600, 400), ("0x0:1200x800/", 1_200, 800),
        ("300x300/right/bottom/smart/", 300, 300), ("300x300/filters:stretch()/", 300, 300),
        ("fit-in/300x300/filters:fill(red)/", 300, 300),
        ("300x200/filters:rotate(90):grayscale()/", 200, 300),
        ("300x200/filters:format(webp):quality(50)/", 300, 200),
        ("300x200/filters:round_corner(20|20,255,255,255)/", 300, 200), ("fit-in/0x300/", 450, 300),
        ("origx300/", 1_200, 300), ("100x100:50x50/300x200/", 300, 200), ("0x0:5000x400/", 1_200, 400),
        ("100x/", 100, 67), ("x100/", 150, 100), ("fit-in/333x1000/", 333, 222),
        ("fit-in/1000x335/", 503, 335),
        ("2000x0/", 2_000, 1_333), ("2000x2000/filters:no_upscale()/", 1_200, 800), ("-0x-0/", 1_200, 800),
        ("fit-in/2400x2400/filters:upscale()/", 2_400, 1_600), ("300x200/filters:proportion(0.5)/", 150, 100),
        ("full-fit-in/300x300/filters:fill(transparent)/", 450, 300), ("trim/300x200/", 300, 200),
        ("fit-in/300x300/filters:fill(auto)/", 300, 300), ("fit-in/300x300/filters:fill(blur,1)/", 300, 300),
        ("300x300/filters:focal(0x0:10x10)/", 300, 300), ("300x200/filters:pixelate(9):hue(5)/", 300, 200),
        ("300x200/filters:round_corner(20|10,255,255,255)/", 300, 200),
    ])
    func `an image gets the size that thumbor gives`(parts: String, width: Int, height: Int) throws {
        let rendering = try Self.rendering(parts + Self.source)
        #expect(rendering.source.description == "http://src.test/photo.jpg")
        let result = try rendering.transforms.apply(to: ImgproxySizeTests.picture)
        #expect(result.size == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("https://src.test/a.jpg", "https://src.test/a.jpg"),
        ("src.test/a+b%20c.jpg", "http://src.test/a+b%20c.jpg"),
        ("src.test/a.jpg%3Fx=1", "http://src.test/a.jpg?x=1"), ("300x200/src.test/a", "http://src.test/a"),
        ("https%3A%2F%2Fsrc.test%2Fa.jpg", "https://src.test/a.jpg"),
        ("smart/300x200/src.test", "http://300x200/src.test"),
        ("300/src.test/a", "http://0.0.1.44/src.test/a"),
        ("src.test/100%25.jpg", "http://src.test/100%25.jpg"),
        ("src.test/100%.jpg", "http://src.test/100%25.jpg"),
    ])
    func `the first unknown part begins the source`(path: String, source: String) throws {
        #expect(try Self.rendering(path).source.description == source)
    }

    @Test(arguments: [
        ("http:/src.test/a.jpg", RequestError.Code.invalidSource), ("/300x200/src.test/a", .invalidSource),
        ("300x200//src.test/a.jpg", .invalidSource), ("", .malformedPath), ("300x200/", .invalidSource),
        ("300x200/filters:fill%28red%29/src.test/a", .invalidSource), ("%zz", .invalidSource),
        ("meta/src.test/a", .unsupportedOption), ("debug/src.test/a", .unsupportedOption),
        ("trim:bottom-right/src.test/a", .unsupportedOption), ("trim:-1/src.test/a", .invalidOption),
        ("99999999999999999999x1/src.test/a", .invalidOption), ("100001x1/src.test/a", .invalidOption),
        ("0x0:2147483648x1/src.test/a", .invalidOption), ("filters:nonsense()/src.test/a", .unknownOption),
        ("filters:frame(a)/src.test/a", .unsupportedOption),
        ("filters:quality(0)/src.test/a", .invalidOption),
        ("filters:quality(101)/src.test/a", .invalidOption), ("filters:quality()/src.test/a", .invalidOption),
        ("filters:blur(1000000000)/src.test/a", .invalidOption),
        ("filters:quality(\u{301}80)/src.test/a", .invalidOption),
        ("filters:blur(nan)/src.test/a", .invalidOption),
        ("filters:frame(a)/src.test/a", .unsupportedOption),
        ("filters:fill(nocolor)/src.test/a", .invalidOption),
        ("filters:rotate(45)/src.test/a", .invalidOption),
        ("filters:proportion(1e309)/src.test/a", .invalidOption),
        ("filters:format(tif)/src.test/a", .invalidOption),
        ("filters:grayscale(1)/src.test/a", .invalidOption),
        ("filters:contrast(101)/src.test/a", .invalidOption), ("filters:%zz()/src.test/a", .invalidOption),
        ("filters:round_corner(1|2|3,0,0,0)/src.test/a", .invalidOption),
    ])
    func `an unsupported part is refused by its own code`(path: String, code: RequestError.Code) {
        #expect(refusal { _ = try Self.rendering(path) } == code)
    }

    @Test func `ten thousand filters, and 64 KB of path, are refused`() {
        let filters = Array(repeating: "grayscale()", count: 200).joined(separator: ":")
        #expect(refusal { _ = try Self.rendering("filters:\(filters)/\(Self.source)") } == .pathTooLong)
        let long = String(repeating: "a", count: 65_536)
        #expect(refusal { _ = try Self.rendering(long) } == .pathTooLong)
    }

    @Test func `filters set the format, the quality and the maximum age`() throws {
        let rendering = try Self.rendering(
            "filters:format(JPEG):quality(7):max_bytes(1000):max_age(60):cover():strip_exif()/\(Self.source)"
        )
        #expect(rendering.output == .format(.jpeg) && rendering.frames == .first)
        #expect(rendering.quality.quality == 7 && rendering.quality.maxByteCount == 1_000)
        #expect(rendering.delivery.maxAge == .seconds(60))
        #expect(rendering.stripsMetadata == true && rendering.stripsColorProfile == nil)
        let standard = try Self.rendering("filters:strip_icc()/\(Self.source)")
        #expect(standard.stripsColorProfile == true && standard.stripsMetadata == nil)
    }

    @Test func `quoted and encoded commas separate arguments as in thumbor`() {
        #expect(
            refusal { _ = try Self.rendering("filters:fill('red,1')/\(Self.source)") } == .invalidOption
        )
        #expect(refusal { _ = try Self.rendering("filters:fill(red%2C1)/\(Self.source)") } == nil)
        #expect(refusal { _ = try Self.rendering("filters:fill('red')/\(Self.source)") } == nil)
    }
}
