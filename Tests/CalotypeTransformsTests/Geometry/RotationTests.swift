import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct RotationTests {
    @Test func `keys are pinned and distinguish all properties`() throws {
        let chain = TransformChain.rotate(byDegrees: 12.5)
        #expect(chain.cacheIdentity == "rotate-1(degrees=12.5,background=00000000)")
        try TransformConformance(chain).run(changed: [
            .rotate(byDegrees: 12.5.nextUp), .rotate(byDegrees: -12.5),
            .rotate(byDegrees: 12.5, background: .white), .rotate(.clockwise90),
        ])
    }

    @Test func `equal turns are equal values, however they are written`() {
        #expect(TransformChain.rotate(byDegrees: -90) == .rotate(.clockwise270))
        #expect(TransformChain.rotate(byDegrees: 450, background: .pureRed) == .rotate(.clockwise90))
        #expect(TransformChain.rotate(byDegrees: 180) == .rotate(.clockwise180))
        #expect(TransformChain.rotate(byDegrees: -330) == .rotate(byDegrees: 30))
        #expect(TransformChain.rotate(byDegrees: 390) == .rotate(byDegrees: 30))
        for degrees in [0, -0.0, 360, -720, -1e-300] {
            #expect(TransformChain.rotate(byDegrees: degrees).isEmpty)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `an angle that is not finite is refused before work starts`(degrees: Double) {
        let error = #expect(throws: TransformError.self) {
            try TransformChain.rotate(byDegrees: degrees).validate()
        }
        #expect(error?.code == .invalidParameter)
    }

    private static let sizes: [(degrees: Double, width: Int, height: Int)] = [
        (45, 128, 128), (135, 128, 128), (30, 127, 120), (-30, 127, 120), (1e-9, 100, 80),
        (90 + 1e-9, 80, 100), (359.999, 101, 81),
    ]

    @Test(arguments: sizes)
    func `the result contains the whole turned image`(
        turned: (degrees: Double, width: Int, height: Int)
    ) throws {
        let image = TestImages.photograph(PixelSize(width: 100, height: 80))
        let result = try TransformChain.rotate(byDegrees: turned.degrees).tested.apply(to: image)
        #expect(result.size == PixelSize(width: turned.width, height: turned.height))
        #expect(result.pixelFormat == .rgba8)
    }

    private static let turns: [(degrees: Double, size: PixelSize)] = [
        (20, PixelSize(width: 160, height: 120)), (45, PixelSize(width: 160, height: 120)),
        (200, PixelSize(width: 161, height: 121)), (275, PixelSize(width: 150, height: 101)),
    ]

    @Test(.enabled(if: Pillow.isPresent, "\(Pillow.advice)"), arguments: turns)
    func `a turn matches Pillow within two levels`(degrees: Double, size: PixelSize) throws {
        let image = TestImages.photograph(size)
        let ours = try TransformChain.rotate(byDegrees: degrees, background: .black).tested.apply(to: image)
        // Pillow rotates in the other direction, and does not smooth the edge.
        let theirs = try Pillow.image(
            image,
            size: ours.size,
            "image.rotate(-\(degrees), expand=True, resample=Image.BICUBIC)"
        )
        #expect(ours.difference(from: theirs).mean < 2)
        let inside = TransformChain.crop(to: PixelSize(width: 60, height: 60))
        let (ourInside, theirInside) = (
            try inside.tested.apply(to: ours), try inside.tested.apply(to: theirs)
        )
        // Pillow truncates instead of rounding: half a level in each channel.
        #expect(ourInside.difference(from: theirInside).mean < 0.75)
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `corners have the background colour, in the fitting pixel format`(format: PixelFormat) throws {
        let image = TestImages.photograph(PixelSize(width: 64, height: 48), format: format)
        let translucent = RGBAColor(red: 10, green: 200, blue: 90, alpha: 128)
        for color in [RGBAColor.pureRed, .gray(77), .clear, translucent] {
            let result = try TransformChain.rotate(byDegrees: 33, background: color).tested.apply(to: image)
            let expected =
                color == .clear ? [0, 0, 0, 0] : [color.red, color.green, color.blue, color.alpha]
            let (right, bottom) = (result.size.width - 1, result.size.height - 1)
            for corner in [(0, 0), (right, 0), (0, bottom), (right, bottom)] {
                #expect(result.pixel(corner.0, corner.1) == expected)
            }
            let needsAlpha = color.alpha < 255 || format == .rgba8
            let staysGray = color == .gray(77) && format == .gray8
            #expect(result.pixelFormat == (needsAlpha ? .rgba8 : staysGray ? .gray8 : .rgb8))
        }
    }

    @Test(arguments: [15.0, 45, 111.1, 300])
    func `a flat image retains its colour, and its edge fades without a fringe`(degrees: Double)
        throws
    {
        let square = Image.drawn(60, 40) { _, _ in .pureRed }
        let result = try TransformChain.rotate(byDegrees: degrees).tested.apply(to: square)
        #expect(result.hasNoFringe(of: .red))
        let area = result.allPixels.reduce(0) { $0 + Int($1[3]) }
        #expect(abs(Double(area) / 255 - 60 * 40) < 60)
        let center = result.pixel(result.size.width / 2, result.size.height / 2)
        #expect(center == [255, 0, 0, 255])
    }

    @Test func `transparent pixels add no colour`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 255, green: 0, blue: 0)
        )
        #expect(try TransformChain.rotate(byDegrees: 30).tested.apply(to: disc).hasNoFringe(of: .red))
    }

    @Test func `the rotation is clockwise about the centre`() throws {
        // The right one of three columns moves down.
        let image = Image.drawn(31, 31, .gray8) { x, y in .gray(x > 24 && abs(y - 15) < 4 ? 255 : 0) }
        let result = try TransformChain.rotate(byDegrees: 89.999, background: .black).tested.apply(to: image)
        let exact = try TransformChain.rotate(.clockwise90).tested.apply(to: image)
        let around = try TransformChain.crop(to: exact.size).tested.apply(to: result)
        #expect(around.difference(from: exact).mean < 12)
        #expect(result.pixel(result.size.width / 2, result.size.height - 4)[0] > 250)
    }

    @Test func `a result over the limit is refused before pixels are allocated`() throws {
        let line = Image.drawn(20_000, 1, .gray8) { _, _ in .white }
        let error = #expect(throws: TransformError.self) {
            try TransformChain.rotate(byDegrees: 45).tested.apply(to: line)
        }
        #expect(error?.code == .limitExceeded)
        #expect(try TransformChain.rotate(byDegrees: 0.1).tested.apply(to: line).size.width == 20_000)
    }
}
