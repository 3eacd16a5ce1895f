import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct PadTests {
    private static let size = PixelSize(width: 80, height: 70)
    private static let insets = PixelInsets(top: 1, left: 2, bottom: 3, right: 4)

    @Test func `keys are pinned`() {
        let toSize = TransformChain.pad(to: Self.size)
        #expect(toSize.cacheIdentity == "pad-1(size=80x70,gravity=center,color=00000000)")
        let byInsets = TransformChain.pad(by: Self.insets, color: .white)
        #expect(byInsets.cacheIdentity == "pad-1(top=1,left=2,bottom=3,right=4,color=ffffffff)")
    }

    @Test func `every padding conforms to the transform rules, and keys distinguish all properties`() throws {
        try TransformConformance(.pad(to: Self.size)).run(changed: [
            .pad(to: PixelSize(width: 81, height: 70)), .pad(to: PixelSize(width: 80, height: 71)),
            .pad(to: Self.size, gravity: .top), .pad(to: Self.size, color: .black),
        ])
        try TransformConformance(.pad(by: Self.insets, color: .pureRed)).run(changed: [
            .pad(by: PixelInsets(top: 0, left: 2, bottom: 3, right: 4), color: .pureRed),
            .pad(by: PixelInsets(top: 1, left: 0, bottom: 3, right: 4), color: .pureRed),
            .pad(by: PixelInsets(top: 1, left: 2, bottom: 0, right: 4), color: .pureRed),
            .pad(by: PixelInsets(top: 1, left: 2, bottom: 3, right: 0), color: .pureRed),
            .pad(by: Self.insets, color: RGBAColor(red: 255, green: 0, blue: 0, alpha: 254)),
        ])
    }

    /// The expected pixels of an image at a position in a larger one.
    private func expected(_ image: Image, _ x: Int, _ y: Int, _ size: PixelSize, _ color: RGBAColor)
        -> [[UInt8]]
    {
        let pixels = image.allPixels
        return (0..<size.pixelCount).map { index in
            let (column, row) = (index % size.width - x, index / size.width - y)
            guard (0..<image.size.width).contains(column), (0..<image.size.height).contains(row) else {
                return [color.red, color.green, color.blue, color.alpha]
            }
            return pixels[row * image.size.width + column]
        }
    }

    @Test(
        arguments: PixelFormat.eightBitFormats,
        [RGBAColor.pureRed, .gray(77), .clear, RGBAColor(red: 10, green: 200, blue: 90, alpha: 128)]
    )
    func `the image is placed on the colour, in a pixel format for both`(
        format: PixelFormat,
        color: RGBAColor
    ) throws {
        let image = TestImages.asymmetric(PixelSize(width: 6, height: 5), format: format)
        let result = try TransformChain.pad(by: Self.insets, color: color).tested.apply(to: image)
        #expect(result.size == PixelSize(width: 12, height: 9))
        #expect(result.allPixels == expected(image, 2, 1, result.size, color))
        let needsAlpha = color.alpha < 255 || format == .rgba8
        let staysGray = color == .gray(77) && format == .gray8
        #expect(result.pixelFormat == (needsAlpha ? .rgba8 : staysGray ? .gray8 : .rgb8))
    }

    @Test(arguments: Gravity.allCases) func `an image is anchored at a side or corner`(gravity: Gravity)
        throws
    {
        let image = TestImages.asymmetric(PixelSize(width: 6, height: 4))
        let size = PixelSize(width: 20, height: 10)
        let result = try TransformChain.pad(to: size, gravity: gravity, color: .white).tested.apply(to: image)
        let index = try #require(Gravity.allCases.firstIndex(of: gravity))
        let (x, y) = ([0, 7, 14][index % 3], [0, 3, 6][index / 3])
        #expect(result.allPixels == expected(image, x, y, size, .white))
    }

    @Test func `a longer side is unchanged, and nothing is cropped`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 6, height: 4))
        let result = try TransformChain.pad(to: PixelSize(width: 3, height: 9), color: .white).apply(
            to: image
        )
        #expect(result.size == PixelSize(width: 6, height: 9))
        #expect(result.allPixels == expected(image, 0, 2, result.size, .white))
    }

    @Test func `an image that needs no padding is unchanged, without alpha`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 6, height: 4))
        #expect(try TransformChain.pad(to: PixelSize(width: 6, height: 1)).tested.apply(to: image) === image)
        #expect(try TransformChain.pad(by: PixelInsets(all: 0)).tested.apply(to: image) === image)
    }

    @Test(arguments: [
        TransformChain.pad(to: PixelSize(width: 0, height: 9)),
        .pad(by: PixelInsets(top: -1)), .pad(by: PixelInsets(left: .min)),
        .pad(by: PixelInsets(bottom: .max)), .pad(by: PixelInsets(right: 1_000_001)),
    ])
    func `invalid padding is refused before work starts`(chain: TransformChain) {
        let error = #expect(throws: TransformError.self) { try chain.validate() }
        #expect(error?.code == .invalidParameter)
    }

    @Test(arguments: [
        TransformChain.pad(to: PixelSize(width: .max, height: .max)),
        .pad(to: PixelSize(width: 20_000, height: 20_000)),
        .pad(by: PixelInsets(all: 1_000_000)),
    ])
    func `a result over the limit is refused before pixels are allocated`(chain: TransformChain) {
        let image = TestImages.asymmetric(PixelSize(width: 6, height: 4))
        let error = #expect(throws: TransformError.self) { try chain.tested.apply(to: image) }
        #expect(error?.code == .limitExceeded)
    }
}
