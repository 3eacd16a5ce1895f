import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct AVIFEncoderTests {
    static let size = PixelSize(width: 61, height: 47)

    private func decoded(_ data: Data) throws -> Image {
        try CodecRegistry.tested.decode(data)
    }

    @Test func `the cache identity is pinned and the defaults match the documentation`() {
        let common = "bytes=-,box=-,background=ffffff,frames=all"
        #expect(
            AVIFEncoder().cacheIdentity == "avif2(q=60,lossless=0,speed=6,chroma=automatic,\(common))"
        )
        let encoder = AVIFEncoder()
        #expect(encoder.quality == 60 && !encoder.isLossless && encoder.speed == 6)
        #expect(encoder.chromaSubsampling == .automatic && encoder.options == EncodeOptions())
    }

    @Test func `each property changes the identity`() {
        var encoders = CacheIdentityTests.options.map { AVIFEncoder(options: $0) }
        encoders += [
            AVIFEncoder(quality: 61), AVIFEncoder(isLossless: true), AVIFEncoder(speed: 7),
            AVIFEncoder(chromaSubsampling: .yuv444), AVIFEncoder(chromaSubsampling: .yuv422),
            AVIFEncoder(chromaSubsampling: .yuv420),
        ]
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(Set(encoders).count == encoders.count)
    }

    @Test(arguments: PixelFormat.ofEightBits)
    func `a lossless file round-trips exactly at any size`(format: PixelFormat) throws {
        for (width, height) in [(1, 1), (2, 1), (1, 3), (17, 16), (61, 47)] {
            let image = TestPictures.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decoded(AVIFEncoder(isLossless: true, speed: 9).tested.encode(image))
            #expect(back.size == image.size)
            #expect(back.pixelFormat == format || image.isOpaque)
            #expect(back.rgba8() == image.rgba8(), "\(width)×\(height)")
        }
    }

    @Test(arguments: PixelFormat.ofEightBits)
    func `a lossy file is near the pixels at any size`(format: PixelFormat) throws {
        for (width, height) in [(33, 1), (2, 33), (61, 47)] {
            let image = TestPictures.photograph(PixelSize(width: width, height: height), format: format)
            let back = try decoded(AVIFEncoder(quality: 85).tested.encode(image))
            #expect(back.pixelFormat == format && back.size == image.size)
            // In one row of pixels halved chroma averages unlike neighbours.
            let mean = back.difference(to: image).mean
            #expect(mean < (min(width, height) < 3 ? 16 : 6), "\(width)×\(height)")
        }
    }

    @Test func `a higher quality is larger and nearer`() throws {
        let image = TestPictures.photograph(Self.size)
        let files = try [10, 60, 95].map { try AVIFEncoder(quality: $0, speed: 9).tested.encode(image) }
        #expect(files[0].count < files[1].count && files[1].count < files[2].count)
        let means = try files.map { try decoded($0).difference(to: image).mean }
        #expect(means[0] > means[1] && means[1] > means[2])
    }

    @Test func `the quality is lowered to the highest that fits`() throws {
        let image = TestPictures.photograph(Self.size)
        let wanted = try AVIFEncoder(quality: 40, speed: 10).tested.encode(image).count
        let options = EncodeOptions(byteCountMax: wanted)
        let fitted = try AVIFEncoder(quality: 90, speed: 10, options: options).tested.encode(image)
        #expect(fitted.count <= wanted && fitted.count * 10 > wanted * 8)
        #expect(
            code { try AVIFEncoder(options: EncodeOptions(byteCountMax: 100)).tested.encode(image) }
                == .limitExceeded
        )
        let lossless = AVIFEncoder(isLossless: true, options: options)
        #expect(code { try lossless.encode(image) } == .limitExceeded)
    }

    @Test func `less chroma gives smaller files, and automatic is halved below quality 90`() throws {
        let image = TestPictures.photograph(Self.size)
        let files = try [AVIFEncoder.ChromaSubsampling.yuv444, .yuv422, .yuv420].map {
            try AVIFEncoder(speed: 9, chromaSubsampling: $0).tested.encode(image)
        }
        #expect(files[0].count > files[1].count && files[1].count > files[2].count)
        #expect(try AVIFEncoder(speed: 9).tested.encode(image) == files[2])
        let fine = try AVIFEncoder(quality: 90, speed: 9).tested.encode(image)
        #expect(
            fine == (try AVIFEncoder(quality: 90, speed: 9, chromaSubsampling: .yuv444).tested.encode(image))
        )
    }

    @Test func `a box limits the size of the result`() throws {
        let options = EncodeOptions(sizeMax: PixelBox(width: 30))
        let file = try AVIFEncoder(options: options).tested.encode(TestPictures.photograph(Self.size))
        #expect(try decoded(file).size == PixelSize(width: 30, height: 23))
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
