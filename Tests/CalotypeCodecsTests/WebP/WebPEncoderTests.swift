import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct WebPEncoderTests {
    static let size = PixelSize(width: 161, height: 97)

    private func decoded(_ data: Data) throws -> Image {
        try WebPDecoder().tested.decode(data, options: DecodeOptions())
    }

    // MARK: - Stills

    @Test(arguments: PixelFormat.eightBitFormats, [0, 2, 4, 6])
    func `a lossless file round-trips exactly`(format: PixelFormat, effort: Int) throws {
        let image = TestImages.photograph(Self.size, format: format)
        let back = try decoded(WebPEncoder(isLossless: true, effort: effort).tested.encode(image))
        #expect(back.size == image.size)
        #expect(back.pixelFormat == (format == .rgba8 ? .rgba8 : .rgb8))
        #expect(shows(back, image))
    }

    @Test func `fully transparent pixels lose their colour`() throws {
        let image = TestImages.photograph(Self.size, format: .rgba8)
        try #require(image.bytes[3] == 0 && image.bytes[0] != 0)
        #expect(
            Array(try decoded(WebPEncoder(isLossless: true).tested.encode(image)).bytes[0..<4]) == [
                0, 0, 0, 0,
            ]
        )
    }

    @Test(arguments: PixelFormat.eightBitFormats, [0, 4, 6])
    func `a lossy file is near the pixels`(format: PixelFormat, effort: Int) throws {
        let image = TestImages.photograph(Self.size, format: format)
        let back = try decoded(WebPEncoder(quality: 90, effort: effort).tested.encode(image))
        #expect(back.pixelFormat == (format == .rgba8 ? .rgba8 : .rgb8))
        #expect(back.visibleDifference(to: image).mean < 3)
    }

    @Test func `alpha is lossless in a lossy file`() throws {
        let image = TestImages.photograph(Self.size, format: .rgba8)
        let back = try decoded(WebPEncoder(quality: 10).tested.encode(image))
        let alphas = [image, back].map { image in
            stride(from: 3, to: image.bytes.count, by: 4).map { image.bytes[$0] }
        }
        #expect(alphas[0] == alphas[1])
    }

    @Test func `fully opaque alpha is not written`() throws {
        let opaque = TestImages.photograph(Self.size)
        let pixels = PixelBuffer(byteCount: Self.size.pixelCount * 4) { $0.copyBytes(from: opaque.rgba8()) }
        let image = Image(size: Self.size, pixelFormat: .rgba8, pixels: pixels)
        for encoder in [WebPEncoder(), WebPEncoder(isLossless: true)] {
            #expect(try decoded(encoder.encode(image)).pixelFormat == .rgb8)
        }
    }

    @Test(arguments: [false, true]) func `more effort is smaller`(isLossless: Bool) throws {
        let image = TestImages.photograph(Self.size)
        let sizes = try [0, 6].map {
            try WebPEncoder(isLossless: isLossless, effort: $0).tested.encode(image).count
        }
        #expect(sizes[0] > sizes[1])
    }

    @Test func `the quality of a lossless file is ignored`() throws {
        let image = TestImages.photograph(Self.size)
        #expect(
            try WebPEncoder(quality: 0, isLossless: true).tested.encode(image)
                == WebPEncoder(quality: 100, isLossless: true).tested.encode(image)
        )
    }

    @Test(arguments: [(16_384, 1), (1, 16_384)])
    func `a side that WebP cannot hold is an error`(width: Int, height: Int) {
        let long = TestImages.asymmetric(PixelSize(width: width, height: height), format: .gray8)
        #expect(encodeErrorCode { try WebPEncoder().tested.encode(long) } == .unsupportedFeature)
    }

    @Test func `the longest side of WebP round-trips`() throws {
        for size in [PixelSize(width: 1, height: 16_383), PixelSize(width: 16_383, height: 1)] {
            let long = TestImages.asymmetric(size, format: .gray8)
            for encoder in [WebPEncoder(), WebPEncoder(isLossless: true)] {
                #expect(try decoded(encoder.encode(long)).size == size)
            }
        }
    }

    // MARK: - Animation

    /// An animation of 6 frames that loops three times.
    private func animated() throws -> Image {
        try decoded(try WebPFiles.animation(isLossless: true).data)
    }

    private func frames(_ image: Image) throws -> [Image] {
        let animation = try #require(image.animation)
        return try (0..<animation.frameCount).map { try animation.decodeFrame(at: $0) }
    }

    @Test(arguments: [0, 4])
    func `a lossless animation round-trips exactly`(effort: Int) throws {
        let source = try animated()
        let back = try decoded(WebPEncoder(isLossless: true, effort: effort).tested.encode(source))
        let animation = try #require(back.animation)
        #expect(animation.frameCount == 6 && animation.loopCount == .times(3))
        #expect(
            (0..<6).map { animation.duration(ofFrameAt: $0) }
                == [40, 40, 120, 40, 40, 40].map { .milliseconds($0) }
        )
        for (own, expected) in zip(try frames(back), try frames(source)) {
            #expect(shows(own, expected))
        }
    }

    @Test func `a lossy animation is near the frames`() throws {
        let source = try animated()
        let back = try decoded(WebPEncoder(quality: 92).tested.encode(source))
        for (own, expected) in zip(try frames(back), try frames(source)) {
            #expect(own.visibleDifference(to: expected).mean < 4)
        }
        let small = try WebPEncoder(quality: 20).tested.encode(source)
        #expect(try small.count < WebPEncoder(quality: 92).tested.encode(source).count)
    }

    @Test func `equal frames are joined, and the total duration is unchanged`() throws {
        let image = TestImages.photograph(PixelSize(width: 40, height: 30))
        let other = TestImages.photograph(PixelSize(width: 40, height: 30), seed: 9)
        let frames = [image, image, other, other, other].map { WebPFrameParts(image: $0) }
        let source = try decoded(try WebPParts.animation(image.size, frames).data)
        let back = try decoded(WebPEncoder(isLossless: true).tested.encode(source))
        #expect(back.animation?.frameCount == 2 && back.animation?.loopCount == .infinite)
        #expect(back.animation?.duration == .milliseconds(200))
    }

    @Test func `the first frame alone is a still`() throws {
        let source = try animated()
        let encoder = WebPEncoder(isLossless: true, options: EncodeOptions(frames: .first))
        let back = try decoded(encoder.encode(source))
        #expect(back.animation == nil)
        #expect(shows(back, source))
    }

    @Test func `an animation without a format becomes a WebP`() throws {
        let source = try animated()
        let image = Image(
            size: source.size,
            pixelFormat: source.pixelFormat,
            pixels: source.pixels,
            animation: source.animation
        )
        #expect(CodecRegistry.tested.encodingFormat(for: image) == .webP)
        #expect(try decoded(CodecRegistry.tested.encode(image)).animation?.frameCount == 6)
    }

    @Test func `a box applies to each frame`() throws {
        let options = EncodeOptions(maxSize: PixelBox(width: 50))
        let back = try decoded(WebPEncoder(options: options).tested.encode(try animated()))
        #expect(try frames(back).map(\.size) == Array(repeating: PixelSize(width: 50, height: 39), count: 6))
    }

    @Test func `the quality of an animation is lowered until it fits`() throws {
        let source = try animated()
        let limit = try WebPEncoder(quality: 30, effort: 0).tested.encode(source).count
        let options = EncodeOptions(maxByteCount: limit)
        let fitted = try WebPEncoder(quality: 90, effort: 0, options: options).tested.encode(source)
        #expect(fitted.count <= limit && fitted.count > limit / 2)
        let tight = EncodeOptions(maxByteCount: 500)
        for encoder in [WebPEncoder(options: tight), WebPEncoder(isLossless: true, options: tight)] {
            #expect(encodeErrorCode { try encoder.encode(source) } == .limitExceeded)
        }
    }

    @Test func `a frame that cannot be decoded is an error`() throws {
        let parts = try WebPFiles.animationWithDamagedEnd()
        let source = try decoded(parts.data)
        #expect(encodeErrorCode { try WebPEncoder().tested.encode(source) } == .undecodableFrame)
    }

    private func shows(_ image: Image, _ other: Image) -> Bool { visible(image) == visible(other) }

    /// The RGBA bytes with colours zeroed where alpha is 0.
    private func visible(_ image: Image) -> [UInt8] {
        var bytes = [UInt8](image.rgba8())
        for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] == 0 {
            bytes.replaceSubrange(pixel..<pixel + 4, with: [0, 0, 0, 0])
        }
        return bytes
    }
}
