import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct TIFFEncoderTests {
    static let size = PixelSize(width: 120, height: 80)

    private func decoded(_ data: Data) throws -> Image {
        #expect(ImageFormat(sniffing: data) == .tiff)
        return try TIFFDecoder().tested.decode(data, options: DecodeOptions())
    }

    @Test(arguments: [TIFFEncoder.Compression.none, .lzw, .deflate], PixelFormat.eightBitFormats)
    func `a lossless file round-trips`(compression: TIFFEncoder.Compression, format: PixelFormat) throws {
        let image = TestImages.asymmetric(Self.size, format: format)
        let back = try decoded(TIFFEncoder(compression: compression).tested.encode(image))
        #expect(back.pixelFormat == format && back.size == image.size)
        #expect(back.bytes == image.bytes)
        #expect(!back.metadata.hasColorProfile)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8])
    func `JPEG compression is near the pixels`(format: PixelFormat) throws {
        let image = TestImages.photograph(Self.size, format: format)
        let back = try decoded(TIFFEncoder(compression: .jpeg(quality: 92)).tested.encode(image))
        #expect(back.pixelFormat == format)
        #expect(back.difference(to: image).mean < 3)
    }

    @Test func `transparent pixels are blended over the background in JPEG compression`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 64, height: 64),
            color: RGBColor(red: 0, green: 0, blue: 200)
        )
        let options = EncodeOptions(background: RGBColor(red: 250, green: 120, blue: 30))
        let encoder = TIFFEncoder(compression: .jpeg(quality: 95), options: options)
        let back = try decoded(encoder.encode(disc))
        #expect(back.pixelFormat == .rgb8)
        for (channel, expected) in [250, 120, 30].enumerated() {
            #expect(abs(Int(back.bytes[channel]) - expected) < 5)
        }
    }

    @Test func `compression reduces the size of a photograph`() throws {
        let image = TestImages.photograph(Self.size)
        let sizes = try [TIFFEncoder.Compression.none, .lzw, .deflate, .jpeg(quality: 60)].map {
            try TIFFEncoder(compression: $0).tested.encode(image).count
        }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[2] > sizes[3])
    }
}
