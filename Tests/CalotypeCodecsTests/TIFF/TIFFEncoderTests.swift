import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct TIFFEncoderTests {
    static let size = PixelSize(width: 120, height: 80)

    private func decoded(_ data: Data) throws -> Image {
        #expect(ImageFormat(sniffing: data) == .tiff)
        return try TIFFDecoder().tested.decode(data, options: DecodeOptions())
    }

    private func code(_ encode: () throws -> Data) -> EncodeError.Code? {
        do {
            _ = try encode()
            return nil
        } catch {
            return (error as? EncodeError)?.code
        }
    }

    @Test(arguments: [TIFFEncoder.Compression.none, .lzw, .deflate], PixelFormat.ofEightBits)
    func `a lossless file round-trips`(compression: TIFFEncoder.Compression, format: PixelFormat) throws {
        let image = TestPictures.asymmetric(Self.size, format: format)
        let back = try decoded(TIFFEncoder(compression: compression).tested.encode(image))
        #expect(back.pixelFormat == format && back.size == image.size)
        #expect(back.bytes == image.bytes)
        #expect(!back.metadata.hasColorProfile)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8])
    func `JPEG compression is near the pixels`(format: PixelFormat) throws {
        let image = TestPictures.photograph(Self.size, format: format)
        let back = try decoded(TIFFEncoder(compression: .jpeg(quality: 92)).tested.encode(image))
        #expect(back.pixelFormat == format)
        #expect(back.difference(to: image).mean < 3)
    }

    @Test func `transparent pixels are blended over the background in JPEG compression`() throws {
        let disc = TestPictures.disc(
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
        let image = TestPictures.photograph(Self.size)
        let sizes = try [TIFFEncoder.Compression.none, .lzw, .deflate, .jpeg(quality: 60)].map {
            try TIFFEncoder(compression: $0).tested.encode(image).count
        }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[2] > sizes[3])
    }

    @Test func `a lossless result over the limit is an error, and a JPEG is reduced to fit`() throws {
        let image = TestPictures.photograph(Self.size)
        for compression in [TIFFEncoder.Compression.none, .lzw, .deflate] {
            let plain = try TIFFEncoder(compression: compression).tested.encode(image)
            for (limit, expected) in [(plain.count, nil), (plain.count - 1, EncodeError.Code.limitExceeded)] {
                let options = EncodeOptions(byteCountMax: limit)
                let encoder = TIFFEncoder(compression: compression, options: options)
                #expect(code { try encoder.encode(image) } == expected)
            }
        }
        let wanted = try TIFFEncoder(compression: .jpeg(quality: 40)).tested.encode(image)
        let options = EncodeOptions(byteCountMax: wanted.count)
        let fitted = try TIFFEncoder(compression: .jpeg(quality: 90), options: options).tested.encode(image)
        #expect(fitted.count <= wanted.count && fitted.count > wanted.count * 9 / 10)
        let none = TIFFEncoder(compression: .jpeg(quality: 90), options: EncodeOptions(byteCountMax: 100))
        #expect(code { try none.encode(image) } == .limitExceeded)
    }

    @Test func `a box limits the size of the result`() throws {
        let options = EncodeOptions(sizeMax: PixelBox(width: 60))
        let back = try decoded(
            TIFFEncoder(options: options).tested.encode(TestPictures.photograph(Self.size))
        )
        #expect(back.size == PixelSize(width: 60, height: 40))
    }

    @Test func `equal values give equal bytes`() throws {
        let image = TestPictures.photograph(Self.size, format: .rgba8)
        #expect(try TIFFEncoder().tested.encode(image) == TIFFEncoder().tested.encode(image))
    }

    // MARK: - Identity

    @Test func `the cache identity is pinned`() {
        let common = "bytes=-,box=-,background=ffffff,frames=all"
        #expect(TIFFEncoder().cacheIdentity == "tiff1(compression=lzw,\(common))")
        #expect(
            TIFFEncoder(compression: .jpeg(quality: 7)).cacheIdentity == "tiff1(compression=jpeg7,\(common))"
        )
    }

    @Test func `each property changes the identity`() {
        var encoders = CacheIdentityTests.options.map { TIFFEncoder(options: $0) }
        let compressions: [TIFFEncoder.Compression] = [
            .none, .deflate, .jpeg(quality: 90), .jpeg(quality: 89),
        ]
        encoders += compressions.map { TIFFEncoder(compression: $0) }
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(Set(encoders).count == encoders.count)
    }

    @Test func `the defaults match the documentation`() {
        #expect(TIFFEncoder().compression == .lzw && TIFFEncoder().options == EncodeOptions())
    }
}
