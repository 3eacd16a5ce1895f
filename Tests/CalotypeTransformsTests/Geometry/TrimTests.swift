import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct TrimTests {
    private static let content = PixelRect(x: 7, y: 4, width: 12, height: 9)

    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.trim().cacheIdentity == "trim-1(color=topLeft,tolerance=10)")
        let white = TransformChain.trim(color: .white, tolerance: 0)
        #expect(white.cacheIdentity == "trim-1(color=ffffffff,tolerance=0)")
        try TransformConformance(.trim()).run(changed: [
            .trim(color: .white), .trim(color: .black), .trim(color: .clear), .trim(tolerance: 11),
        ])
    }

    /// A border around content in which each row and column has a single pixel.
    private func picture(
        _ border: RGBAColor,
        _ dot: RGBAColor,
        _ format: PixelFormat = .rgb8
    ) -> Image {
        let content = Self.content
        return Image.drawn(40, 30, format) { x, y in
            let isAcross = y == content.y + 5 && (content.x..<content.x + content.width).contains(x)
            let isDown = x == content.x + 3 && (content.y..<content.y + content.height).contains(y)
            return isAcross || isDown ? dot : border
        }
    }

    private func expectTrimmed(
        _ chain: TransformChain,
        _ image: Image,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let part = try chain.tested.apply(to: image)
        let content = Self.content
        #expect(part.size == content.size, sourceLocation: sourceLocation)
        #expect(part.pixelFormat == image.pixelFormat, sourceLocation: sourceLocation)
        let expected = try TransformChain.crop(to: content).tested.apply(to: image)
        #expect(part.allPixels == expected.allPixels, sourceLocation: sourceLocation)
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `pixels that differ from the top left one are retained exactly`(format: PixelFormat) throws {
        try expectTrimmed(.trim(), picture(.gray(80), .gray(200), format))
        try expectTrimmed(.trim(), picture(.white, .black, format))
    }

    @Test func `a border may differ by the tolerance in each channel`() throws {
        let border = RGBAColor(red: 100, green: 100, blue: 100)
        let near = RGBAColor(red: 100, green: 90, blue: 110)
        let image = picture(border, near)
        #expect(try TransformChain.trim().tested.apply(to: image) === image)
        try expectTrimmed(.trim(tolerance: 9), image)
        try expectTrimmed(.trim(tolerance: 0), picture(border, RGBAColor(red: 100, green: 100, blue: 101)))
        let opposite = picture(.white, .black)
        #expect(try TransformChain.trim(tolerance: 255).tested.apply(to: opposite) === opposite)
    }

    @Test func `a transparent border is removed, whatever its hidden colours`() throws {
        let content = Self.content
        let image = Image.drawn(40, 30, .rgba8) { x, y in
            (content.x..<content.x + content.width).contains(x)
                && (content.y..<content.y + content.height).contains(y)
                ? .gray(0, alpha: 40) : RGBAColor(red: UInt8(x * 6), green: UInt8(y * 8), blue: 255, alpha: 0)
        }
        try expectTrimmed(.trim(), image)
        try expectTrimmed(.trim(color: .clear), image)
    }

    @Test func `black content on transparent black is retained`() throws {
        try expectTrimmed(.trim(), picture(.clear, .black, .rgba8))
        try expectTrimmed(.trim(color: .white), picture(.white, .clear, .rgba8))
    }

    @Test func `only a given colour is removed`() throws {
        let image = picture(.pureRed, .white)
        try expectTrimmed(.trim(color: .pureRed), image)
        #expect(try TransformChain.trim(color: .black).tested.apply(to: image) === image)
        try expectTrimmed(.trim(color: .gray(255)), picture(.white, .black, .gray8))
        let gray = picture(.gray(255), .black, .gray8)
        #expect(try TransformChain.trim(color: .pureRed).tested.apply(to: gray) === gray)
    }

    @Test func `an image of one colour is unchanged`() throws {
        let image = Image.drawn(9, 7) { _, _ in .pureRed }
        #expect(try TransformChain.trim().tested.apply(to: image) === image)
    }

    @Test(arguments: [(0, 0), (39, 0), (0, 29), (39, 29), (20, 10)])
    func `a single differing pixel is retained`(place: (Int, Int)) throws {
        let image = Image.drawn(40, 30) { x, y in (x, y) == place ? .pureRed : .white }
        let part = try TransformChain.trim(color: .white).tested.apply(to: image)
        #expect(part.size == PixelSize(width: 1, height: 1))
        #expect(part.pixel(0, 0) == [255, 0, 0, 255])
    }

    @Test func `all frames are trimmed by the border of the first`() throws {
        let frames = [picture(.white, .black), picture(.black, .white)]
        let result = try TransformChain.trim(color: .white).tested.apply(to: Animation.image(of: frames))
        let second = try #require(result.animation).decodeFrame(at: 1)
        #expect(
            second.allPixels
                == (try TransformChain.crop(to: Self.content).tested.apply(to: frames[1])).allPixels
        )
    }

    @Test(arguments: [-1, 256, .max, .min]) func `a tolerance is 0...255 levels`(tolerance: Int) {
        let error = #expect(throws: TransformError.self) {
            try TransformChain.trim(tolerance: tolerance).validate()
        }
        #expect(error?.code == .invalidParameter)
    }
}
