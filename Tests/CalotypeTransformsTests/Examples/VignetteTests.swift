import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import VignetteTransform
import WorkerSupport

/// An example for tests of custom transforms: conformance, key and pixels.
@Suite(.blocking, .inBothModes) struct VignetteTests {
    @Test func `the vignette conforms to the transform rules`() throws {
        try TransformConformance(.vignette(strength: 0.5)).run(changed: [.vignette(strength: 0.5.nextUp)])
    }

    @Test func `the key is pinned`() {
        #expect(TransformChain.vignette(strength: 0.5).cacheIdentity == "vignette-1(strength=0.5)")
    }

    @Test func `both zeros give one transform`() {
        #expect(TransformChain.vignette(strength: -0.0) == .vignette(strength: 0))
        #expect(
            TransformChain.vignette(strength: -0.0).cacheIdentity
                == TransformChain.vignette(strength: 0).cacheIdentity
        )
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `the corners are darkened by the strength, and alpha is unchanged`(format: PixelFormat) throws {
        let size = PixelSize(width: 101, height: 51)
        let pixels = PixelBuffer(byteCount: size.pixelCount * format.bytesPerPixel) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 200)
        }
        let image = Image(size: size, pixelFormat: format, pixels: pixels)
        let result = try TransformChain.vignette(strength: 0.5).tested.apply(to: image)
        let alpha: UInt8 = format == .rgba8 ? 200 : 255
        #expect(result.pixel(50, 25) == [200, 200, 200, alpha])
        // The centre of the corner pixel is less than a hundredth of the radius inside.
        #expect((100...103).contains(result.pixel(0, 0)[0]))
        #expect(result.pixel(0, 0) == result.pixel(100, 50))
        #expect(result.pixel(0, 0)[3] == alpha)
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func `an invalid strength is refused before work starts`(strength: Double) {
        #expect(throws: TransformError.self) { try TransformChain.vignette(strength: strength).validate() }
    }
}
