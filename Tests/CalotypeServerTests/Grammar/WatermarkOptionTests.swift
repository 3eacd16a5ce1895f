import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@testable import CalotypeServer

/// The options of watermarks, and the positions and sizes that imgproxy and thumbor give.
@Suite(.gated) struct WatermarkOptionTests {
    private static let size = PixelSize(width: 100, height: 80)
    private static let address = "aHR0cDovL3NyYy50ZXN0L3dtLnBuZw"

    private static func rendering(_ options: String) throws -> Rendering {
        try ImgproxyGrammar().rendering(of: "/unsafe/\(options)/\(examplePath)")
    }

    private static func thumbor(_ filters: String) throws -> Rendering {
        try ThumborGrammar().rendering(of: "/unsafe/filters:\(filters)/src.test/a.jpg")
    }

    private static func overlay(_ width: Int, _ height: Int) -> OverlayImage {
        OverlayImage(TestImages.photograph(PixelSize(width: width, height: height)))
    }

    /// The positions and the size of the overlay, as the key of its transform has them.
    private static func place(_ chain: TransformChain) -> String {
        let text = chain.cacheIdentity
        return text.firstMatch(of: #/size=.*,opacity/#).map { String(text[$0.range].dropLast(8)) } ?? text
    }

    private static func place(
        _ options: String,
        _ width: Int = 20,
        _ height: Int = 10,
        dpr: Double = 1
    ) throws -> String {
        let layout = try #require(try rendering(options).transforms.steps.first as? ImgproxyLayout)
        var watermark = try #require(layout.watermark)
        watermark.picture = overlay(width, height)
        return place(try watermark.chain(for: size, dpr: dpr))
    }

    @Test(arguments: [
        ("wm:1", 40, 36), ("wm:1:ce", 40, 36), ("wm:1:no", 40, 0), ("wm:1:so", 40, 70),
        ("wm:1:ea", 80, 36), ("wm:1:we", 0, 36), ("wm:1:noea", 80, 0), ("wm:1:nowe", 0, 0),
        ("wm:1:soea", 80, 70), ("wm:1:sowe", 0, 70), ("wm:1:soea:10:5", 70, 65),
        ("wm:1:nowe:10:5", 10, 5), ("wm:1:ce:10:-5", 50, 31), ("wm:1:soea:0.1:0.25", 70, 50),
        // One pixel at least stays within the result.
        ("wm:1:nowe:-50:0", -19, 0), ("wm:1:soea:-1000:-1000", 99, 79), ("wm:1:nowe:0:-0.5", 0, -9),
        ("wm:1::10", 50, 36), ("wm:1:no/wm:0.2::3", 43, 0),
    ])
    func `a watermark has imgproxy's position`(options: String, x: Int, y: Int) throws {
        #expect(try Self.place(options) == "size=20x10,across=\(x)+1x0,down=\(y)+1x0")
    }

    @Test func `the density multiplies offsets in pixels, and not the watermark`() throws {
        #expect(try Self.place("wm:1:soea:10:5", dpr: 2) == "size=20x10,across=60+1x0,down=60+1x0")
        #expect(try Self.place("wm:1:soea:0.1:0.25", dpr: 2) == "size=20x10,across=70+1x0,down=50+1x0")
        #expect(try Self.place("wm:1:re:10:6", dpr: 2) == "size=20x10,across=0+3x40,down=-9+5x22")
    }

    @Test(arguments: [
        ("wm:1:re", "across=0+5x20,down=-5+9x10"), ("wm:1:re:10:6", "across=-20+5x30,down=3+5x16"),
        ("wm:1:re:-5:-5", "across=0+5x20,down=-5+9x10"), ("wm:1:re:0.1:0", "across=-20+5x30,down=-5+9x10"),
        ("wm:1:re:100000:100000", "across=40+1x100020,down=35+1x100010"),
    ])
    func `a repeated watermark has a tile in the middle, and offsets are gaps`(
        options: String,
        runs: String
    ) throws {
        #expect(try Self.place(options) == "size=20x10,\(runs)")
    }

    @Test(arguments: [
        ("wm:1:ce:0:0:0.5", "50x25"), ("wm:1:ce:0:0:2", "200x100"), ("wm:1:ce:0:0:1", "100x50"),
        ("wm:1:ce:0:0:1e-300", "1x1"), ("wm:1:ce:0:0:0", "20x10"), ("wms:40/wm:1", "40x20"),
        ("wms:40:0/wm:1", "40x20"), ("wms:0:5/wm:1", "10x5"), ("wms:10:10/wm:1", "10x5"),
        ("wms:0:0/wm:1", "20x10"), ("wms:7:7/wm:1:ce:0:0:0.5", "50x25"),
    ])
    func `a watermark is fitted into a part of the result, or into a box`(
        options: String,
        size: String
    ) throws {
        #expect(try Self.place(options).hasPrefix("size=\(size),"))
    }

    @Test func `fields of repeated options are independent, and opacity 0 turns the watermark off`() throws {
        let pairs = [
            ("wm:0.5:soea:1:2/wm:0.3", "wm:0.3:soea:1:2"), ("wm:0.5/wm:0", "pd:0"), ("wm::so", "pd:0"),
            ("wm:0.5::3", "wm:0.5:ce:3"), ("wmu:\(Self.address)/wmu:/wm:1", "wm:1"),
            ("wm:1:ce:0:0:0", "wm:1"), ("wm_rot:90/wm:1", "wmr:90/wm:1"), ("wms:5", "pd:0"),
            ("watermark_url:\(Self.address)/watermark:1", "wm:1/wmu:\(Self.address)=="),
            ("wm:1:re/wm:1:no", "wm:1:no"),
        ]
        for (left, right) in pairs {
            #expect(try Self.rendering(left) == Self.rendering(right), "\(left)")
        }
        #expect(try Self.rendering("wm:0").watermarkSources.isEmpty)
        let own = try Self.rendering("wmu:\(Self.address)/wm:1").watermarkSources
        #expect(own.map { $0.url?.description } == ["http://src.test/wm.png"])
        #expect(try Self.rendering("wm:1").watermarkSources.map(\.url) == [nil])
        #expect(try Self.rendering("raw:1/wm:1").watermarkSources.isEmpty)
    }

    @Test(arguments: [
        ("wm:2", RequestError.Code.invalidOption), ("wm:-0.1", .invalidOption), ("wm:NaN", .invalidOption),
        ("wm:1:xx", .invalidOption), ("wm:1:sm", .invalidOption), ("wm:1:fp:0:0", .invalidOption),
        ("wm:1:ce:NaN", .invalidOption), ("wm:1:ce:1e309", .invalidOption),
        ("wm:1:ce:0:0:101", .invalidOption),
        ("wm:1:ce:0:0:-1", .invalidOption), ("wm:1:ce:0:0:1:1", .invalidOption), ("wms:-1", .invalidOption),
        ("wms:100001", .invalidOption), ("wms:1:2:3", .invalidOption), ("wm_rot:NaN", .invalidOption),
        ("wmr:3601", .invalidOption), ("wm_rot:", .invalidOption), ("wmu:***", .invalidOption),
        // “not a url”, “file:///etc/passwd”, “http://u:p@h.test/a” and “http://h.test/%2e%2e/a”.
        ("wmu:bm90IGEgdXJs", .invalidSource), ("wmu:ZmlsZTovLy9ldGMvcGFzc3dk", .invalidSource),
        ("wmu:aHR0cDovL3U6cEBoLnRlc3QvYQ", .invalidSource),
        ("wmu:aHR0cDovL2gudGVzdC8lMmUlMmUvYQ", .invalidSource),
        ("wm:1:ch", .unsupportedOption), ("wmt:aGk", .unsupportedOption), ("wmsh:1", .unsupportedOption),
    ])
    func `an invalid watermark is refused`(options: String, code: RequestError.Code) {
        #expect(refusal { _ = try Self.rendering(options) } == code)
    }

    private static func filter(_ arguments: String, _ width: Int = 20, _ height: Int = 10) throws -> String {
        let rendering = try thumbor("watermark(src.test/wm.png,\(arguments))")
        let source = try #require(rendering.watermarkSources.first)
        #expect(source.url?.description == "http://src.test/wm.png")
        let layout = try #require(rendering.transforms.steps.first as? ThumborLayout)
        guard case .watermark(var watermark) = try #require(layout.steps.first) else { return "" }
        watermark.picture = overlay(width, height)
        return place(try watermark.chain(for: size))
    }

    @Test(arguments: [
        ("10,5,0", "across=10+1x0,down=5+1x0"), ("-10,-5,0", "across=70+1x0,down=65+1x0"),
        ("-0,0,0", "across=80+1x0,down=0+1x0"), ("center,center,0", "across=40+1x0,down=35+1x0"),
        ("10p,-25p,0", "across=10+1x0,down=50+1x0"), ("%2010%20,%205,%200", "across=10+1x0,down=5+1x0"),
        ("repeat,repeat,0", "across=0+5x20,down=0+8x10"), ("repeat,0,0", "across=0+5x20,down=0+1x0"),
        ("center,repeat,0", "across=40+1x0,down=0+8x10"),
        // Outside of the image all positions are alike.
        ("1000,-1000,0", "across=100+1x0,down=-10+1x0"),
    ])
    func `thumbor's filter has its positions`(arguments: String, runs: String) throws {
        #expect(try Self.filter(arguments) == "size=20x10,\(runs)")
    }

    @Test(arguments: [
        (30, 30, "across=0+3x35,down=0+2x50"), (5, 5, "across=0+6x19,down=0+6x15"),
        (60, 60, "across=0+2x70,down=0+2x70"), (200, 200, "across=0+1x210,down=0+1x210"),
        (50, 40, "across=0+2x50,down=0+2x40"),
    ])
    func `thumbor's repeated watermark divides the rest among the gaps`(
        width: Int,
        height: Int,
        runs: String
    ) throws {
        #expect(try Self.filter("repeat,repeat,0", width, height) == "size=\(width)x\(height),\(runs)")
    }

    @Test(arguments: [
        ("0,0,0,50", "50x25"), ("0,0,0,none,50", "80x40"), ("0,0,0,50,50", "50x25"), ("0,0,0,0,0", "20x10"),
        ("0,0,0,none,none", "20x10"), ("0,0,0,10,none", "10x5"), ("0,0,0,200,200", "200x100"),
    ])
    func `thumbor's watermark is fitted into percents of the image`(arguments: String, size: String) throws {
        #expect(try Self.filter(arguments).hasPrefix("size=\(size),"))
    }

    @Test(arguments: [
        ("watermark(a,0,0)", RequestError.Code.invalidOption), ("watermark(a,0,0,101)", .invalidOption),
        ("watermark(a,0,0,-1)", .invalidOption), ("watermark(a,x,0,0)", .invalidOption),
        ("watermark(a,--5,0,0)", .invalidOption), ("watermark(a,5pp,0,0)", .invalidOption),
        ("watermark(a,p,0,0)", .invalidOption), ("watermark(a,0,0,0,-1)", .invalidOption),
        ("watermark(a,0,0,0,1e309)", .invalidOption), ("watermark(a,0,0,0,1,1,1)", .invalidOption),
        ("watermark(http://u@h.test/a,0,0,0)", .invalidSource), ("watermark(,0,0,0)", .invalidSource),
        (Array(repeating: "watermark(a,0,0,0)", count: 5).joined(separator: ":"), .pathTooLong),
    ])
    func `an invalid watermark filter is refused`(filters: String, code: RequestError.Code) {
        #expect(refusal { _ = try Self.thumbor(filters) } == code)
    }

    @Test func `thumbor's URL may have a scheme, commas in quotes, and a query`() throws {
        let urls = [
            ("https://src.test/a.png", "https://src.test/a.png"),
            ("'src.test/a,b.png'", "http://src.test/a,b.png"),
            ("src.test/a.png%3Fv=1", "http://src.test/a.png?v=1"),
            ("local:///a.png", "local:///a.png"),
        ]
        for (text, url) in urls {
            let sources = try Self.thumbor("watermark(\(text),0,0,0)").watermarkSources
            #expect(sources.map { $0.url?.description } == [url])
        }
        let twice = try Self.thumbor("watermark(a.test/a,0,0,0):blur(1):watermark(a.test/a,9,9,0)")
        #expect(twice.watermarkSources.count == 1)
    }

    @Test func `a layout without the pixels of its watermark cannot be applied`() throws {
        let renderings = [try Self.rendering("wm:1"), try Self.thumbor("watermark(a.test/a,0,0,0)")]
        for rendering in renderings {
            let image = TestImages.photograph(Self.size)
            #expect(throws: TransformError.self) { try rendering.transforms.apply(to: image) }
            let source = try #require(rendering.watermarkSources.first)
            let pictures = WatermarkPictures(pictures: [source: Self.overlay(4, 4)])
            let result = try rendering.adding(pictures).transforms.apply(to: image)
            #expect(result.size == Self.size && result.rgba8() != image.rgba8())
        }
    }

    @Test func `all of a watermark is part of the key, and nothing else`() throws {
        let source = WatermarkSource()
        let pictures = WatermarkPictures(pictures: [source: Self.overlay(4, 4)])
        let options = [
            "wm:1", "wm:0.5", "wm:1:so", "wm:1:re", "wm:1:ce:1", "wm:1:ce:0:1", "wm:1:re:1", "wm:1:re:0:1",
            "wm:1:ce:0:0:0.5", "wms:1/wm:1", "wms:0:1/wm:1",
        ]
        var keys = try options.map { try Self.rendering($0).adding(pictures).transforms.cacheIdentity }
        let other = WatermarkPictures(pictures: [source: Self.overlay(5, 4)])
        keys.append(try Self.rendering("wm:1").adding(other).transforms.cacheIdentity)
        let half = WatermarkPictures(pictures: pictures.pictures, opacity: 0.25)
        keys.append(try Self.rendering("wm:1").adding(half).transforms.cacheIdentity)
        #expect(Set(keys).count == keys.count)
        // Equal pixels of two URLs give equal results.
        let named = try Self.rendering("wmu:\(Self.address)/wm:1")
        let url = try #require(named.watermarkSources.first)
        let same = named.adding(WatermarkPictures(pictures: [url: Self.overlay(4, 4)]))
        #expect(same.transforms.cacheIdentity == keys[0])
    }
}
