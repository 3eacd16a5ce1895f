import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct HEICEncoderTests {
    @Test(arguments: PixelFormat.eightBitFormats)
    func `a lossless file round-trips exactly at any size`(format: PixelFormat) throws {
        for (width, height) in [(1, 1), (2, 1), (1, 3), (17, 16), (64, 64), (61, 47)] {
            let image = TestImages.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decode(HEICEncoder(isLossless: true).tested.encode(image))
            #expect(back.format == .heic)
            #expect(back.pixelFormat == format && back.size == image.size)
            #expect(back.bytes == image.bytes, "\(width)×\(height)")
        }
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a lossy file is near the pixels at any size`(format: PixelFormat) throws {
        for (width, height) in [(33, 1), (2, 33), (61, 47)] {
            let image = TestImages.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decode(HEICEncoder(quality: 85).tested.encode(image))
            #expect(back.pixelFormat == format && back.size == image.size)
            // In one row of pixels halved chroma averages unlike neighbours.
            let mean = back.difference(to: image).mean
            #expect(mean < (min(width, height) < 3 ? 16 : 6), "\(width)×\(height)")
        }
    }

    @Test func `a side that HEVC cannot hold is an error`() {
        let long = TestImages.asymmetric(PixelSize(width: 16_889, height: 1), format: .gray8)
        #expect(encodeErrorCode { try HEICEncoder().tested.encode(long) } == .unsupportedFeature)
    }

    @Test func `only the first frame of an animation is written`() throws {
        let file = try HEICEncoder(isLossless: true).tested.encode(AVIFSequenceTests.frames(3).image)
        #expect(try decode(file).bytes == AVIFSequenceTests.frames(3).images[0].bytes)
    }
}
