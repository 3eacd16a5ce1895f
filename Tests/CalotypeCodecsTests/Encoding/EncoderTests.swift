import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct EncoderTests {
    static let size = PixelSize(width: 161, height: 97)

    // MARK: - PNG

    @Test(arguments: PixelFormat.eightBitFormats, [false, true])
    func `a PNG round-trips exactly`(format: PixelFormat, isInterlaced: Bool) throws {
        for level in [0, 1, 6, 9] {
            let image = TestImages.photograph(Self.size, format: format)
            let back = try decode(
                PNGEncoder(compressionLevel: level, isInterlaced: isInterlaced).tested.encode(image)
            )
            #expect(back.pixelFormat == format)
            #expect(back.size == Self.size)
            #expect(back.bytes == image.bytes)
        }
    }

    @Test func `a higher level gives a smaller PNG`() throws {
        let image = TestImages.photograph(Self.size)
        let sizes = try [0, 1, 9].map { try PNGEncoder(compressionLevel: $0).tested.encode(image).count }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2])
    }

    // MARK: - JPEG

    @Test(arguments: JPEGEncoder.ChromaSubsampling.allCases, [false, true])
    func `a JPEG is near the pixels`(chroma: JPEGEncoder.ChromaSubsampling, isProgressive: Bool) throws {
        let image = TestImages.photograph(Self.size)
        let encoder = JPEGEncoder(quality: 92, isProgressive: isProgressive, chromaSubsampling: chroma)
        let back = try decode(encoder.encode(image))
        #expect(back.pixelFormat == .rgb8)
        #expect(back.difference(to: image).mean < 3)
    }

    @Test func `gray pixels are encoded as gray`() throws {
        let image = TestImages.photograph(Self.size, format: .gray8)
        let back = try decode(JPEGEncoder().tested.encode(image))
        #expect(back.pixelFormat == .gray8)
        #expect(back.difference(to: image).mean < 3)
    }

    @Test func `less chroma gives a smaller file`() throws {
        let image = TestImages.photograph(Self.size)
        let sizes = try [JPEGEncoder.ChromaSubsampling.yuv444, .yuv422, .yuv420].map {
            try JPEGEncoder(chromaSubsampling: $0).tested.encode(image).count
        }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2])
    }

    @Test func `chroma is halved automatically below quality 90`() throws {
        let image = TestImages.photograph(Self.size)
        for (quality, chroma) in [(89, JPEGEncoder.ChromaSubsampling.yuv420), (90, .yuv444)] {
            let automatic = try JPEGEncoder(quality: quality).tested.encode(image)
            #expect(
                automatic
                    == (try JPEGEncoder(quality: quality, chromaSubsampling: chroma).tested.encode(image))
            )
        }
    }

    @Test func `transparent pixels are blended over the background`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 0, green: 0, blue: 200)
        )
        let options = EncodeOptions(background: RGBColor(red: 250, green: 120, blue: 30))
        let back = try decode(JPEGEncoder(quality: 95, options: options).tested.encode(disc)).bytes
        for (channel, expected) in [250, 120, 30].enumerated() {
            #expect(abs(Int(back[channel]) - expected) < 4)
        }
        let center = (32 * 64 + 32) * 3
        for (channel, expected) in [0, 0, 200].enumerated() {
            #expect(abs(Int(back[center + channel]) - expected) < 4)
        }
        let white = try decode(JPEGEncoder().tested.encode(disc)).bytes
        #expect(white[0..<3].allSatisfy { $0 > 250 })
    }

    @Test func `a side that JPEG cannot hold is an error`() {
        let long = TestImages.asymmetric(PixelSize(width: 65_501, height: 1), format: .gray8)
        #expect(encodeErrorCode { try JPEGEncoder().tested.encode(long) } == .unsupportedFeature)
    }

    @Test func `the longest side of JPEG round-trips`() throws {
        let long = TestImages.asymmetric(PixelSize(width: 1, height: 65_500), format: .gray8)
        #expect(try decode(JPEGEncoder().tested.encode(long)).size == long.size)
    }
}
