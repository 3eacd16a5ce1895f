import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct JPEGXLEncoderTests {
    static let size = PixelSize(width: 120, height: 80)

    private func decoded(_ data: Data) throws -> Image {
        #expect(ImageFormat(sniffing: data) == .jpegXL)
        return try JPEGXLDecoder().tested.decode(data, options: DecodeOptions())
    }

    private func code(_ encode: () throws -> Data) -> EncodeError.Code? {
        do {
            _ = try encode()
            return nil
        } catch {
            return (error as? EncodeError)?.code
        }
    }

    @Test(arguments: PixelFormat.ofEightBits)
    func `a lossless image round-trips`(format: PixelFormat) throws {
        let image = TestPictures.asymmetric(Self.size, format: format)
        let back = try decoded(JPEGXLEncoder(isLossless: true, effort: 3).tested.encode(image))
        #expect(back.pixelFormat == format && back.size == image.size)
        #expect(back.bytes == image.bytes)
        #expect(!back.metadata.hasColorProfile)
    }

    @Test(arguments: PixelFormat.ofEightBits)
    func `a lossy image is near the original`(format: PixelFormat) throws {
        let image = TestPictures.photograph(Self.size, format: format)
        let back = try decoded(JPEGXLEncoder(effort: 3).tested.encode(image))
        #expect(back.pixelFormat == format)
        #expect(back.difference(to: image).mean < 4)
    }

    @Test func `a higher quality is larger and closer`() throws {
        let image = TestPictures.photograph(Self.size)
        let files = try [0, 20, 50, 75, 90, 100].map { try JPEGXLEncoder(quality: $0).tested.encode(image) }
        let means = try files.map { try decoded($0).difference(to: image).mean }
        for (lower, higher) in zip(0..., 1..<files.count) {
            #expect(files[lower].count < files[higher].count)
            #expect(means[lower] > means[higher])
        }
    }

    @Test(arguments: 1...9)
    func `each effort gives a valid file`(effort: Int) throws {
        let image = TestPictures.photograph(PixelSize(width: 40, height: 30))
        let back = try decoded(JPEGXLEncoder(effort: effort).tested.encode(image))
        #expect(back.difference(to: image).mean < 7)
    }

    @Test func `the quality is lowered to the highest that fits`() throws {
        let image = TestPictures.photograph(Self.size)
        let wanted = try JPEGXLEncoder(quality: 41, effort: 3).tested.encode(image)
        let limited = JPEGXLEncoder(
            quality: 88,
            effort: 3,
            options: EncodeOptions(byteCountMax: wanted.count)
        )
        #expect(try limited.encode(image).count <= wanted.count)
        #expect(
            try limited.encode(image).count > JPEGXLEncoder(quality: 36, effort: 3).tested.encode(image).count
        )
    }

    @Test(arguments: [0, 1, 60])
    func `a limit that no quality reaches is an error`(limit: Int) {
        let image = TestPictures.photograph(Self.size)
        let options = EncodeOptions(byteCountMax: limit)
        #expect(
            code { try JPEGXLEncoder(effort: 1, options: options).tested.encode(image) } == .limitExceeded
        )
    }

    @Test func `a lossless result that does not fit is an error`() throws {
        let image = TestPictures.photograph(Self.size)
        let plain = try JPEGXLEncoder(isLossless: true, effort: 1).tested.encode(image)
        for (limit, expected) in [(plain.count, nil), (plain.count - 1, EncodeError.Code.limitExceeded)] {
            let options = EncodeOptions(byteCountMax: limit)
            let encoder = JPEGXLEncoder(isLossless: true, effort: 1, options: options)
            #expect(code { try encoder.encode(image) } == expected)
        }
    }

    @Test func `an animation round-trips with its frames, durations and loop count`() throws {
        for (format, loops) in [
            (PixelFormat.rgb8, LoopCount.infinite), (.rgba8, .times(4)), (.gray8, .times(1)),
        ] {
            let image = TestPictures.jxlAnimation(frameCount: 5, format: format, loops: loops)
            let source = try #require(image.animation)
            let back = try decoded(JPEGXLEncoder(isLossless: true, effort: 1).tested.encode(image))
            let animation = try #require(back.animation)
            #expect(animation.frameCount == 5 && animation.loopCount == loops)
            for index in 0..<5 {
                #expect(animation.duration(ofFrameAt: index) == source.duration(ofFrameAt: index))
                #expect(try animation.decodeFrame(at: index).bytes == source.decodeFrame(at: index).bytes)
            }
        }
    }

    @Test func `only the first frame is written on request`() throws {
        let image = TestPictures.jxlAnimation(frameCount: 3)
        let encoder = JPEGXLEncoder(isLossless: true, effort: 1, options: EncodeOptions(frames: .first))
        let back = try decoded(encoder.encode(image))
        #expect(back.animation == nil && back.bytes == image.bytes)
    }

    @Test func `a box limits the size of all frames`() throws {
        let options = EncodeOptions(sizeMax: PixelBox(width: 45))
        let back = try decoded(
            JPEGXLEncoder(effort: 1, options: options).tested.encode(TestPictures.jxlAnimation(frameCount: 3))
        )
        #expect(back.size == PixelSize(width: 45, height: 30))
        #expect(try #require(back.animation).decodeFrame(at: 2).size == back.size)
    }

    @Test func `equal values give equal bytes`() throws {
        let image = TestPictures.photograph(Self.size, format: .rgba8)
        #expect(try JPEGXLEncoder().tested.encode(image) == JPEGXLEncoder().tested.encode(image))
    }

    // MARK: - Identity

    @Test func `the cache identity is pinned`() {
        let common = "bytes=-,box=-,background=ffffff,frames=all"
        #expect(JPEGXLEncoder().cacheIdentity == "jxl1(q=90,lossless=0,effort=5,\(common))")
        #expect(
            JPEGXLEncoder(quality: 7, isLossless: true, effort: 9, options: EncodeOptions(byteCountMax: 8))
                .cacheIdentity
                == "jxl1(q=7,lossless=1,effort=9,bytes=8,box=-,background=ffffff,frames=all)"
        )
    }

    @Test func `each property changes the identity`() {
        var encoders = CacheIdentityTests.options.map { JPEGXLEncoder(options: $0) }
        encoders += [JPEGXLEncoder(quality: 89), JPEGXLEncoder(isLossless: true), JPEGXLEncoder(effort: 6)]
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(Set(encoders).count == encoders.count)
    }

    @Test func `the defaults match the documentation`() {
        let encoder = JPEGXLEncoder()
        #expect(encoder.quality == 90 && !encoder.isLossless && encoder.effort == 5)
        #expect(encoder.options == EncodeOptions())
    }
}
