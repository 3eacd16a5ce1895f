import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct HEICEncoderTests {
    static let size = PixelSize(width: 61, height: 47)

    private func decoded(_ data: Data) throws -> Image {
        try CodecRegistry.tested.decode(data)
    }

    @Test func `the cache identity is pinned and the defaults match the documentation`() {
        let common = "bytes=-,box=-,background=ffffff,frames=all"
        #expect(HEICEncoder().cacheIdentity == "heic1(q=75,lossless=0,\(common))")
        #expect(HEICEncoder().quality == 75 && !HEICEncoder().isLossless)
        #expect(HEICEncoder().options == EncodeOptions())
    }

    @Test func `each property changes the identity`() {
        var encoders = CacheIdentityTests.options.map { HEICEncoder(options: $0) }
        encoders += [HEICEncoder(quality: 61), HEICEncoder(isLossless: true)]
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(Set(encoders).count == encoders.count)
    }

    @Test(arguments: PixelFormat.ofEightBits)
    func `a lossless file round-trips exactly at any size`(format: PixelFormat) throws {
        for (width, height) in [(1, 1), (2, 1), (1, 3), (17, 16), (64, 64), (61, 47)] {
            let image = TestPictures.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decoded(HEICEncoder(isLossless: true).tested.encode(image))
            #expect(back.format == .heic)
            #expect(back.pixelFormat == format && back.size == image.size)
            #expect(back.bytes == image.bytes, "\(width)×\(height)")
        }
    }

    @Test(arguments: PixelFormat.ofEightBits)
    func `a lossy file is near the pixels at any size`(format: PixelFormat) throws {
        for (width, height) in [(33, 1), (2, 33), (61, 47)] {
            let image = TestPictures.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decoded(HEICEncoder(quality: 85).tested.encode(image))
            #expect(back.pixelFormat == format && back.size == image.size)
            // In one row of pixels halved chroma averages unlike neighbours.
            let mean = back.difference(to: image).mean
            #expect(mean < (min(width, height) < 3 ? 16 : 6), "\(width)×\(height)")
        }
    }

    @Test func `a higher quality is larger and nearer`() throws {
        let image = TestPictures.photograph(Self.size)
        let files = try [10, 60, 95].map { try HEICEncoder(quality: $0).tested.encode(image) }
        #expect(files[0].count < files[1].count && files[1].count < files[2].count)
        let means = try files.map { try decoded($0).difference(to: image).mean }
        #expect(means[0] > means[1] && means[1] > means[2])
    }

    @Test func `the quality is lowered to the highest that fits`() throws {
        let image = TestPictures.photograph(Self.size)
        let wanted = try HEICEncoder(quality: 40).tested.encode(image).count
        let options = EncodeOptions(byteCountMax: wanted)
        let fitted = try HEICEncoder(quality: 90, options: options).tested.encode(image)
        #expect(fitted.count <= wanted && fitted.count * 10 > wanted * 8)
        #expect(
            code { try HEICEncoder(options: EncodeOptions(byteCountMax: 100)).tested.encode(image) }
                == .limitExceeded
        )
        let lossless = HEICEncoder(isLossless: true, options: options)
        #expect(code { try lossless.encode(image) } == .limitExceeded)
    }

    @Test func `a side that HEVC cannot hold is an error`() {
        let long = TestPictures.asymmetric(PixelSize(width: 16_889, height: 1), format: .gray8)
        #expect(code { try HEICEncoder().tested.encode(long) } == .unsupportedFeature)
    }

    @Test func `only the first frame of an animation is written`() throws {
        let file = try HEICEncoder(isLossless: true).tested.encode(AVIFSequenceTests.frames(3).image)
        #expect(try decoded(file).bytes == AVIFSequenceTests.frames(3).images[0].bytes)
    }

    private func code(_ encode: () throws -> Data) -> EncodeError.Code? {
        do {
            _ = try encode()
            return nil
        } catch {
            return (error as? EncodeError)?.code
        }
    }
}
