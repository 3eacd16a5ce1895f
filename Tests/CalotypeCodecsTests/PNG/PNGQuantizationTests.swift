import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Palettes of PNG that are not lossless: `PNGEncoder.maxColorCount`.
@Suite(.blocking, .inBothModes) struct PNGQuantizationTests {
    private static let size = PixelSize(width: 120, height: 90)

    private func encoded(_ image: Image, _ maxColorCount: Int?) throws -> Data {
        var encoder = PNGEncoder()
        encoder.maxColorCount = maxColorCount
        return try encoder.tested.encode(image)
    }

    private func decoded(_ image: Image, _ maxColorCount: Int) throws -> Image {
        try CodecRegistry.tested.decode(try encoded(image, maxColorCount))
    }

    /// The pixels as 0xRRGGBBAA, transparent ones as 0.
    private func pixels(_ image: Image) -> [UInt32] {
        let bytes = [UInt8](image.rgba8())
        return stride(from: 0, to: bytes.count, by: 4).map { start in
            guard bytes[start + 3] > 0 else { return 0 }
            return bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
    }

    @Test(arguments: [2, 16, 64, 256], [PixelFormat.rgb8, .rgba8, .gray8])
    func `a photograph has at most the requested colours, in a palette`(
        count: Int,
        format: PixelFormat
    ) throws {
        let image = TestImages.photograph(Self.size, format: format)
        let data = try encoded(image, count)
        let result = try CodecRegistry.tested.decode(data)
        #expect(result.size == image.size)
        #expect(Set(pixels(result)).count <= count)
        // Gray of 256 levels has one byte a pixel without a palette.
        let type = [UInt8](PNGParts(data).chunks[0].payload)[9]
        #expect(type == (format == .gray8 && count == 256 ? 0 : 3))
    }

    @Test func `a palette takes fewer bytes, and more colours are nearer`() throws {
        let image = TestImages.photograph(Self.size)
        #expect(try encoded(image, 256).count < encoded(image, nil).count)
        let means = try [4, 32, 256].map { try decoded(image, $0).difference(to: image).mean }
        #expect(means[0] > means[1] && means[1] > means[2] && means[2] < 6, "\(means)")
    }

    @Test(arguments: [2, 3, 8, 64, 256])
    func `opaque pixels remain opaque, and transparent ones transparent`(count: Int) throws {
        let disc = TestImages.disc(Self.size, color: RGBColor(red: 200, green: 40, blue: 90))
        let fading = TestImages.photograph(Self.size, format: .rgba8)
        for image in [disc, fading] {
            let result = pixels(try decoded(image, count))
            #expect(Set(result).count <= count)
            for (old, new) in zip(pixels(image), result) {
                if old & 255 == 255 { #expect(new & 255 == 255) }
                if old == 0 { #expect(new == 0) }
            }
        }
    }

    @Test func `a smooth edge keeps its alpha`() throws {
        let disc = TestImages.disc(Self.size, color: RGBColor(red: 200, green: 40, blue: 90))
        let (old, new) = (pixels(disc), pixels(try decoded(disc, 32)))
        let difference = zip(old, new).map { abs(Int($0 & 255) - Int($1 & 255)) }
        let edge = old.count { $0 & 255 > 0 && $0 & 255 < 255 }
        #expect(edge > 50 && difference.reduce(0, +) < 12 * edge)
    }

    @Test func `an image with few colours keeps them exactly`() throws {
        let disc = TestImages.disc(PixelSize(width: 9, height: 9), color: .black)
        #expect(Set(pixels(disc)).count <= 64)
        #expect(try pixels(decoded(disc, 64)) == pixels(disc))
        let photograph = TestImages.photograph(PixelSize(width: 16, height: 16))
        #expect(Set(pixels(photograph)).count <= 256)
        #expect(try pixels(decoded(photograph, 256)) == pixels(photograph))
    }

    @Test func `more than 8 bits are rounded before colours are chosen`() throws {
        let image = TestImages.photograph(Self.size, format: .rgba16)
        let options = DecodeOptions(keepsDepth: true)
        let result = try CodecRegistry.tested.decode(try encoded(image, 64), options: options)
        #expect(!result.pixelFormat.isDeep && Set(pixels(result)).count <= 64)
    }

    @Test func `the frames of an animation keep their colours`() throws {
        let frames = FakeFrameSource(frameCount: 3, size: PixelSize(width: 8, height: 8), valueStep: 40)
        let first = frames.image(at: 0)
        let image = first.replacing(animation: Animation(source: frames, firstFrame: first))
        #expect(try encoded(image, 2) == encoded(image, nil))
    }

    @Test(arguments: [Int.min, -1, 0, 1, 257, .max])
    func `a number of colours out of range is a typed error`(count: Int) {
        let image = TestImages.photograph(PixelSize(width: 4, height: 4))
        #expect(encodeErrorCode { try encoded(image, count) } == .invalidParameter)
        for encoder in [PNGEncoder(), GIFEncoder()] as [any ImageEncoder] {
            let adjustment = EncodeAdjustment(maxColorCount: count)
            let error = #expect(throws: EncodeError.self) { try encoder.adjusted(by: adjustment) }
            #expect(error?.code == .invalidParameter)
        }
    }

    @Test func `an image of one pixel, and one of two colours in the fewest colours, are encoded`() throws {
        let one = TestImages.asymmetric(PixelSize(width: 1, height: 1), format: .rgba8)
        #expect(try pixels(decoded(one, 2)) == pixels(one))
        let fading = TestImages.photograph(PixelSize(width: 300, height: 2), format: .rgba8)
        #expect(try Set(pixels(decoded(fading, 2))).count <= 2)
    }
}
