import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct JPEGXLEncoderTests {
    static let size = PixelSize(width: 120, height: 80)

    private func decoded(_ data: Data) throws -> Image {
        #expect(ImageFormat(sniffing: data) == .jpegXL)
        return try JPEGXLDecoder().tested.decode(data, options: DecodeOptions())
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a lossless image round-trips`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(Self.size, format: format)
        let back = try decoded(JPEGXLEncoder(isLossless: true, effort: 3).tested.encode(image))
        #expect(back.pixelFormat == format && back.size == image.size)
        #expect(back.bytes == image.bytes)
        #expect(!back.metadata.hasColorProfile)
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a lossy image is near the original`(format: PixelFormat) throws {
        let image = TestImages.photograph(Self.size, format: format)
        let back = try decoded(JPEGXLEncoder(effort: 3).tested.encode(image))
        #expect(back.pixelFormat == format)
        #expect(back.difference(to: image).mean < 4)
    }

    @Test(arguments: 1...9)
    func `each effort gives a valid file`(effort: Int) throws {
        let image = TestImages.photograph(PixelSize(width: 40, height: 30))
        let back = try decoded(JPEGXLEncoder(effort: effort).tested.encode(image))
        #expect(back.difference(to: image).mean < 7)
    }

    @Test func `the quality is lowered to the highest that fits`() throws {
        let image = TestImages.photograph(Self.size)
        let wanted = try JPEGXLEncoder(quality: 41, effort: 3).tested.encode(image)
        let limited = JPEGXLEncoder(
            quality: 88,
            effort: 3,
            options: EncodeOptions(maxByteCount: wanted.count)
        )
        #expect(try limited.encode(image).count <= wanted.count)
        #expect(
            try limited.encode(image).count > JPEGXLEncoder(quality: 36, effort: 3).tested.encode(image).count
        )
    }

    @Test func `an animation round-trips with its frames, durations and loop count`() throws {
        for (format, loops) in [
            (PixelFormat.rgb8, LoopCount.infinite), (.rgba8, .times(4)), (.gray8, .times(1)),
        ] {
            let image = TestImages.jxlAnimation(frameCount: 5, format: format, loops: loops)
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
        let image = TestImages.jxlAnimation(frameCount: 3)
        let encoder = JPEGXLEncoder(isLossless: true, effort: 1, options: EncodeOptions(frames: .first))
        let back = try decoded(encoder.encode(image))
        #expect(back.animation == nil && back.bytes == image.bytes)
    }

    @Test func `a box limits the size of all frames`() throws {
        let options = EncodeOptions(maxSize: PixelBox(width: 45))
        let back = try decoded(
            JPEGXLEncoder(effort: 1, options: options).tested.encode(TestImages.jxlAnimation(frameCount: 3))
        )
        #expect(back.size == PixelSize(width: 45, height: 30))
        #expect(try #require(back.animation).decodeFrame(at: 2).size == back.size)
    }
}
