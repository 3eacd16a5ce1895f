import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct TintTests {
    private let red = RGBAColor(red: 255, green: 0, blue: 0)
    private let photograph = TestImages.photograph(PixelSize(width: 60, height: 40), format: .rgba8)

    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.tint(red).cacheIdentity == "tint-1(color=ff0000ff,blend=sourceIn)")
        let others = BlendMode.allCases.filter { $0 != .sourceIn }.map { TransformChain.tint(red, blend: $0) }
        try TransformConformance(.tint(red)).run(
            changed: others + [
                .tint(RGBAColor(red: 254, green: 0, blue: 0)),
                .tint(RGBAColor(red: 255, green: 1, blue: 0)),
                .tint(RGBAColor(red: 255, green: 0, blue: 1)),
                .tint(RGBAColor(red: 255, green: 0, blue: 0, alpha: 254)),
            ]
        )
    }

    @Test(arguments: BlendMode.allCases)
    func `each mode conforms to the transform rules`(blend: BlendMode) throws {
        try TransformConformance(.tint(RGBAColor(red: 10, green: 200, blue: 90, alpha: 99), blend: blend))
            .run(changed: [])
    }

    @Test(arguments: BlendMode.allCases)
    func `each mode matches the W3C formulae`(blend: BlendMode) throws {
        let levels: [UInt8] = [0, 30, 64, 100, 127, 128, 200, 255]
        let picture = levels.flatMap { red in levels.map { green -> [UInt8] in [red, green, 77] } }
        for alpha in [0, 128, 255] as [UInt8] {
            let color = RGBAColor(red: 40, green: 140, blue: 250, alpha: alpha)
            let transform = TransformChain.tint(color, blend: blend)
            for pictureAlpha in [nil, 0, 60, 255] as [UInt8?] {
                let pixels = pictureAlpha.map { alpha in picture.map { $0 + [alpha] } } ?? picture
                let result = try transform.tested.apply(to: .row(of: pixels)).rgba8()
                let expected = pixels.flatMap { BlendReference.tint($0, color, blend) }
                // Half a level of rounding, and the error of single precision.
                let most = BlendReference.difference(Array(result), expected)
                #expect(most < 0.51, "alpha \(alpha) on \(String(describing: pictureAlpha))")
            }
        }
    }

    @Test func `a symbol retains its outline and takes the colour`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 50, height: 40),
            color: RGBColor(red: 0, green: 0, blue: 0)
        )
        let result = try TransformChain.tint(red).tested.apply(to: disc)
        #expect(result.alphas == disc.alphas)
        #expect(result.hasNoFringe(of: .red, minAlpha: 1))
    }

    @Test(arguments: BlendMode.allCases.filter { !BlendReference.isOfAlphaAlone($0) })
    func `blend modes that compute a colour do not change alpha`(blend: BlendMode) throws {
        let color = RGBAColor(red: 10, green: 200, blue: 90, alpha: 99)
        let result = try TransformChain.tint(color, blend: blend).tested.apply(to: photograph)
        #expect(result.alphas == photograph.alphas)
    }

    @Test(arguments: BlendMode.allCases)
    func `a transparent tint changes no opaque pixel, or removes everything`(blend: BlendMode)
        throws
    {
        let image = TestImages.asymmetric(PixelSize(width: 30, height: 30))
        let result = try TransformChain.tint(.clear, blend: blend).tested.apply(to: image)
        if [.sourceIn, .sourceOut, .destinationIn, .destinationAtop].contains(blend) {
            #expect(result.alphas.allSatisfy { $0 == 0 })
        } else {
            #expect(result.pixelFormat == .rgb8 && result.exactPixels == image.exactPixels)
        }
    }

    @Test func `opaque images stay opaque if the mode allows it`() throws {
        let image = TestImages.photograph(PixelSize(width: 30, height: 20))
        let translucent = RGBAColor(red: 9, green: 8, blue: 7, alpha: 100)
        let opening: [BlendMode] = [
            .sourceIn, .sourceOut, .destinationIn, .destinationOut, .destinationAtop, .xor,
        ]
        for blend in BlendMode.allCases {
            let result = try TransformChain.tint(translucent, blend: blend).tested.apply(to: image)
            #expect(result.pixelFormat == (opening.contains(blend) ? .rgba8 : .rgb8), "\(blend)")
        }
        #expect(try TransformChain.tint(red).tested.apply(to: image).pixelFormat == .rgb8)
    }

    @Test func `gray on gray stays gray, and a colour on gray does not`() throws {
        let gray = Image.row(of: [[0], [100], [255]])
        let middle = RGBAColor(red: 128, green: 128, blue: 128)
        let multiplied = try TransformChain.tint(middle, blend: .multiply).tested.apply(to: gray)
        #expect(multiplied.exactPixels == [[0], [50], [128]])
        let colored = try TransformChain.tint(red, blend: .multiply).tested.apply(to: gray)
        #expect(colored.exactPixels == [[0, 0, 0], [100, 0, 0], [255, 0, 0]])
    }
}
