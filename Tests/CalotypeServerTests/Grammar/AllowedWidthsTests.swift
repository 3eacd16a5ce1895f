import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@testable import CalotypeServer

@Suite(.blocking) struct AllowedWidthsTests {
    private static let widths = [640, 320, 1_280, 320]

    @Test func `a list is ascending without repetitions, and has at least one width`() throws {
        #expect(AllowedWidths(Self.widths)?.widths == [320, 640, 1_280])
        #expect(AllowedWidths([]) == nil && AllowedWidths([320, 0]) == nil && AllowedWidths([-1]) == nil)
    }

    @Test(arguments: [(1, 320), (320, 320), (321, 640), (640, 640), (1_280, 1_280), (99_999, 1_280)])
    func `a width is rounded up, and one above the list is the largest`(width: Int, rounded: Int) throws {
        #expect(try #require(AllowedWidths(Self.widths)).rounded(width) == rounded)
    }

    /// Sizes of an image of 2400×1600.
    @Test(arguments: [
        ("", 2_400, 1_600), ("/w:300", 320, 213), ("/w:320", 320, 213), ("/w:9999", 1_280, 853),
        ("/h:100", 480, 320), ("/rs:fill:300:150", 320, 160), ("/rs:fill:300:150/dpr:2", 640, 320),
        ("/rs:fill:100:50/z:2", 320, 160), ("/rs:force:300:0", 320, 1_600), ("/rs:fit:300:300", 320, 213),
        ("/mw:100/w:10", 320, 213), ("/z:0.37", 2_400, 1_600), ("/dpr:0.5", 2_400, 1_600),
    ])
    func `an unsigned imgproxy URL is rounded by width, and keeps its ratio`(
        options: String,
        width: Int,
        height: Int
    ) throws {
        var grammar = ImgproxyGrammar()
        grammar.widths = AllowedWidths(Self.widths)
        let rendering = try grammar.rendering(of: "/unsafe\(options)/\(examplePath)")
        let picture = TestImages.asymmetric(PixelSize(width: 2_400, height: 1_600), format: .gray8)
        #expect(try rendering.transforms.apply(to: picture).size == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("300x150", 320, 160), ("300x0", 320, 213), ("0x100", 480, 320), ("9999x0", 1_280, 853),
        ("-300x150", 320, 160), ("fit-in/300x300", 320, 213),
    ])
    func `an unsigned thumbor URL is rounded by width, and keeps its ratio`(
        options: String,
        width: Int,
        height: Int
    ) throws {
        var grammar = ThumborGrammar()
        grammar.widths = AllowedWidths(Self.widths)
        let rendering = try grammar.rendering(of: "/unsafe/\(options)/src.test/a.jpg")
        let picture = TestImages.asymmetric(PixelSize(width: 2_400, height: 1_600), format: .gray8)
        #expect(try rendering.transforms.apply(to: picture).size == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("1280x0", "proportion(0.37)", 640, 427), ("1280x0", "proportion(0.371)", 640, 427),
        ("640x0", "proportion(0.5)", 320, 213), ("1280x320", "proportion(0.5):proportion(0.4)", 320, 80),
        ("0x1280", "proportion(0.25)", 480, 320), ("", "proportion(0.37)", 2_400, 1_600),
    ])
    func `a proportion gives no width of its own`(
        options: String,
        filters: String,
        width: Int,
        height: Int
    ) throws {
        var grammar = ThumborGrammar()
        grammar.widths = AllowedWidths(Self.widths)
        let path = "/unsafe/\(options)/filters:\(filters)/src.test/a.jpg".replacing("//", with: "/")
        let picture = TestImages.asymmetric(PixelSize(width: 2_400, height: 1_600), format: .gray8)
        let size = try grammar.rendering(of: path).transforms.apply(to: picture).size
        #expect(size == PixelSize(width: width, height: height))
    }

    @Test func `all widths between two of the list are one request`() throws {
        var grammar = ImgproxyGrammar()
        grammar.widths = AllowedWidths(Self.widths)
        let renderings = try (321...640).flatMap { width in
            try ["w:\(width)", "w:\(width)/dpr:1.0", "w:\(width)/z:1", "rs:fit:\(width)"].map {
                try grammar.rendering(of: "/unsafe/\($0)/\(examplePath)")
            }
        }
        let dense = try grammar.rendering(of: "/unsafe/w:200/dpr:2/\(examplePath)")
        #expect(Set(renderings) == [dense])
    }

    @Test func `padding keeps its density`() throws {
        var grammar = ImgproxyGrammar()
        grammar.widths = AllowedWidths(Self.widths)
        let rendering = try grammar.rendering(of: "/unsafe/w:150/dpr:2/pd:5/\(examplePath)")
        let picture = TestImages.asymmetric(PixelSize(width: 2_400, height: 1_600), format: .gray8)
        let size = try rendering.transforms.apply(to: picture).size
        #expect(size == PixelSize(width: 340, height: 233))
    }

    @Test func `offsets of a watermark keep their density`() throws {
        var grammar = ImgproxyGrammar()
        grammar.widths = AllowedWidths(Self.widths)
        let options = "w:160/dpr:2/wm:1:nowe:5:5"
        let rendering = try grammar.rendering(of: "/unsafe/\(options)/\(examplePath)")
        let plain = try ImgproxyGrammar().rendering(of: "/unsafe/\(options)/\(examplePath)")
        let mark = OverlayImage(TestImages.asymmetric(PixelSize(width: 20, height: 10)))
        let pictures = WatermarkPictures(pictures: [WatermarkSource(): mark])
        let picture = TestImages.asymmetric(PixelSize(width: 2_400, height: 1_600))
        let results = try [rendering, plain].map { try $0.adding(pictures).transforms.apply(to: picture) }
        #expect(results[0].size.width == 320 && results[0].rgba8() == results[1].rgba8())
    }

    @Test func `a signed URL is not rounded`() throws {
        let key = SigningKey(key: Array("secret".utf8), salt: Array("hello".utf8))
        var imgproxy = ImgproxyGrammar(signature: ImgproxySignature(keys: [key]))
        let plain = try imgproxy.rendering(of: try imgproxy.signed("/w:300/\(examplePath)"))
        imgproxy.widths = AllowedWidths(Self.widths)
        #expect(try imgproxy.rendering(of: try imgproxy.signed("/w:300/\(examplePath)")) == plain)
        var thumbor = ThumborGrammar(signature: ThumborSignature(keys: [SigningKey("secret")]))
        let other = try thumbor.rendering(of: thumbor.signed("300x0/src.test/a"))
        thumbor.widths = AllowedWidths(Self.widths)
        #expect(try thumbor.rendering(of: thumbor.signed("300x0/src.test/a")) == other)
    }
}
