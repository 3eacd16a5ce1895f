import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

/// Duotone and monochrome: colours by luma.
@Suite(.blocking, .inBothModes) struct ToningTests {
    private static let dark = RGBColor(red: 10, green: 20, blue: 30)
    private static let light = RGBColor(red: 210, green: 120, blue: 30)
    private static let red = RGBColor(red: 255, green: 0, blue: 0)

    private func toned(_ transform: TransformChain, _ pixels: [[UInt8]]) throws -> [[UInt8]] {
        try transform.tested.apply(to: .row(of: pixels)).exactPixels
    }

    @Test func `keys are pinned and distinguish all properties`() throws {
        let duotone = TransformChain.duotone(intensity: 0.5, dark: Self.dark)
        #expect(duotone.cacheIdentity == "duotone-1(intensity=0.5,dark=0a141eff,light=ffffffff)")
        try TransformConformance(duotone).run(changed: [
            .duotone(intensity: 0.6, dark: Self.dark), .duotone(intensity: 0.5),
            .duotone(intensity: 0.5, dark: Self.dark, light: Self.light),
        ])
        let monochrome = TransformChain.monochrome()
        #expect(monochrome.cacheIdentity == "monochrome-1(intensity=1.0,color=b3b3b3ff)")
        try TransformConformance(.monochrome(color: Self.red)).run(changed: [
            .monochrome(intensity: 0.9, color: Self.red), monochrome,
        ])
    }

    @Test func `gray by other weights, and saturation around the brightness, have own keys`() throws {
        #expect(TransformChain.gray(by: .rec601).cacheIdentity == "grayscale-1(luma=rec601)")
        try TransformConformance(.gray(by: .rec601)).run(changed: [.grayscale])
        let saturation = TransformChain.saturation(aroundBrightness: 0.5)
        #expect(saturation.cacheIdentity == "brightnessSaturation-1(factor=0.5)")
        try TransformConformance(saturation).run(changed: [
            .saturation(aroundBrightness: 0.4), .adjust(saturation: 0.5),
        ])
    }

    @Test func `saturation around the brightness leaves gray and alpha unchanged`() throws {
        // √(0.299 × 255²) = 139.4
        #expect(try toned(.saturation(aroundBrightness: 0.5), [[255, 0, 0, 9]]) == [[197, 70, 70, 9]])
        #expect(try toned(.saturation(aroundBrightness: 0), [[7], [200]]) == [[7], [200]])
        let error = #expect(throws: TransformError.self) {
            try TransformChain.saturation(aroundBrightness: -1).validate()
        }
        #expect(error?.code == .invalidParameter)
    }

    @Test func `duotone maps black and white to its colours, and luma between them`() throws {
        let full = TransformChain.duotone(dark: Self.dark, light: Self.light)
        // Red has a luma of 0.2126.
        #expect(
            try toned(full, [[0, 0, 0], [255, 255, 255], [128, 128, 128], [255, 0, 0]])
                == [[10, 20, 30], [210, 120, 30], [110, 70, 30], [53, 41, 30]]
        )
        #expect(try toned(full, [[0], [255], [128]]) == [[10, 20, 30], [210, 120, 30], [110, 70, 30]])
        // Half of 200, 100, 0 and half of its luma, 114.04.
        #expect(try toned(.duotone(intensity: 0.5), [[200, 100, 0, 9]]) == [[157, 107, 57, 9]])
    }

    @Test func `monochrome with a gray gives the luma`() throws {
        let pixels: [[UInt8]] = [[200, 100, 0], [0, 0, 0], [255, 255, 255]]
        let expected: [[UInt8]] = [[114, 114, 114], [0, 0, 0], [255, 255, 255]]
        for level in [UInt8(0), 1, 179, 255] {
            let gray = RGBColor(red: level, green: level, blue: level)
            #expect(try toned(.monochrome(color: gray), pixels) == expected)
        }
    }

    @Test func `monochrome passes from black through the colour, at its luma, to white`() throws {
        let blue = TransformChain.monochrome(color: RGBColor(red: 0, green: 0, blue: 255))
        #expect(
            try toned(blue, [[0, 0, 255], [0, 0, 0], [255, 255, 255], [128, 128, 128]])
                == [[0, 0, 255], [0, 0, 0], [255, 255, 255], [118, 118, 255]]
        )
        #expect(try toned(.monochrome(color: Self.red), [[0], [255]]) == [[0, 0, 0], [255, 255, 255]])
        let half = TransformChain.monochrome(intensity: 0.5, color: Self.red)
        #expect(
            try toned(half, [[255, 0, 0, 7], [0, 255, 0, 7]]) == [[255, 0, 0, 7], [128, 209, 81, 7]]
        )
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `an intensity of zero changes no pixel`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 30, height: 30), format: format)
        for transform in [TransformChain.duotone(intensity: 0), .monochrome(intensity: 0)] {
            let result = try transform.tested.apply(to: image)
            #expect(result.pixelFormat == format && result.exactPixels == image.exactPixels)
        }
    }

    @Test func `gray stays gray under grays`() throws {
        for transform in [TransformChain.duotone(), .monochrome()] {
            #expect(try toned(transform, [[0], [128], [255]]) == [[0], [128], [255]])
        }
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func `an intensity out of range is refused before work starts`(intensity: Double) {
        for transform in [TransformChain.duotone(intensity: intensity), .monochrome(intensity: intensity)] {
            let error = #expect(throws: TransformError.self) { try transform.validate() }
            #expect(error?.code == .invalidParameter)
        }
    }
}
