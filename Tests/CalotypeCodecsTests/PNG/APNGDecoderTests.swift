import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct APNGDecoderTests {
    static let canvas = PixelSize(width: 13, height: 11)

    private static func picture(_ width: Int, _ height: Int, seed: UInt64, _ format: PixelFormat = .rgba8)
        -> Image
    {
        TestImages.photograph(PixelSize(width: width, height: height), format: format, seed: seed)
    }

    /// A full frame, two smaller ones, and one at the edge.
    static func animation(
        _ second: (disposal: Int, blend: Int) = (0, 1),
        _ third: (disposal: Int, blend: Int) = (2, 1),
        format: PixelFormat = .rgba8
    ) -> APNGParts {
        APNGParts(frames: [
            APNGFrame(picture: picture(13, 11, seed: 1, format), disposal: second.disposal),
            APNGFrame(
                picture: picture(6, 5, seed: 2, format),
                x: 2,
                y: 3,
                disposal: second.disposal,
                blend: second.blend
            ),
            APNGFrame(
                picture: picture(7, 8, seed: 3, format),
                x: 4,
                y: 1,
                disposal: third.disposal,
                blend: third.blend
            ),
            APNGFrame(picture: picture(1, 1, seed: 4, format), x: 12, y: 10, milliseconds: 250),
        ])
    }

    @Test(arguments: 0..<6, 0..<6)
    func `frames are blended and disposed of as the standard specifies`(second: Int, third: Int) throws {
        for isInterlaced in [false, true] {
            var parts = Self.animation((second / 2, second % 2), (third / 2, third % 2))
            parts.encoder.isInterlaced = isInterlaced
            let image = try decode(try parts.data())
            let animation = try #require(image.animation)
            let expected = parts.composited()
            #expect([UInt8](image.rgba8()) == expected[0])
            #expect(try animation.decodedFrames() == expected)
        }
    }

    @Test func `durations and loop count are read`() throws {
        var parts = Self.animation()
        parts.plays = 3
        let animation = try #require(try decode(parts.data()).animation)
        #expect(animation.loopCount == .times(3))
        #expect(
            (0..<4).map(animation.duration(ofFrameAt:)) == [100, 100, 100, 250].map(Duration.milliseconds)
        )
    }

    @Test func `a default image before the frames is the image, not a frame`() throws {
        var parts = Self.animation()
        let still = Self.picture(13, 11, seed: 9)
        parts.defaultImage = still
        // Then the first frame need not cover the canvas.
        parts.frames.removeFirst()
        let image = try decode(try parts.data())
        #expect(image.bytes == still.bytes)
        let animation = try #require(image.animation)
        #expect(try animation.decodedFrames() == parts.composited())
        #expect(try CodecRegistry.tested.info(of: parts.data()).frameCount == 3)
    }

    @Test func `an animation of one frame is a still, and so is the first frame of many`() throws {
        var parts = Self.animation()
        let options = DecodeOptions(frames: .first)
        #expect(try decode(parts.data(), options).animation == nil)
        parts.frames.removeLast(3)
        #expect(try decode(parts.data()).animation == nil)
        let info = try CodecRegistry.tested.info(of: parts.data())
        #expect(info.frameCount == 1 && info.loopCount == nil && info.animationDuration == nil)
    }

    @Test func `opaque frames stay opaque if they cover the canvas`() throws {
        let covered = try decode(Self.animation((0, 0), (2, 0), format: .rgb8).data())
        #expect(covered.pixelFormat == .rgb8)
        #expect(try covered.animation?.decodeFrame(at: 2).pixelFormat == .rgb8)
        let gray = try decode(Self.animation((0, 1), (0, 1), format: .gray8).data())
        #expect(try gray.animation?.decodeFrame(at: 3).pixelFormat == .gray8)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8])
    func `opaque frames get alpha if the canvas shows through`(format: PixelFormat) throws {
        let parts = Self.animation((0, 0), (1, 0), format: format)
        let image = try decode(try parts.data())
        #expect(image.pixelFormat == .rgba8)
        #expect(try image.animation?.decodedFrames() == parts.composited())
        #expect(try CodecRegistry.tested.info(of: parts.data()).pixelFormat == .rgba8)
        // A still needs no alpha.
        #expect(try decode(parts.data(), DecodeOptions(frames: .first)).pixelFormat == format)
    }

    @Test func `claimed but missing frames are not counted`() throws {
        var parts = Self.animation()
        parts.claimedFrameCount = 9
        #expect(try decode(parts.data()).animation?.frameCount == 4)
        #expect(try CodecRegistry.tested.info(of: parts.data()).frameCount == 4)
        parts.claimedFrameCount = 3
        #expect(try decode(parts.data()).animation?.frameCount == 3)
    }

    @Test func `frames decoded in any order equal frames decoded in order`() throws {
        // Full frames that restore an image, clear the canvas, and keep it.
        var parts = Self.animation((0, 1), (0, 1))
        parts.frames += Self.animation((2, 1), (1, 1)).frames
        parts.frames += Self.animation((1, 0), (2, 1)).frames
        let expected = parts.composited()
        let animation = try #require(try decode(parts.data()).animation)
        for last in expected.indices {
            for index in 0...last {
                for asked in [last, index] {
                    FrameBudget.shared.removeAll()
                    let frame = try animation.decodeFrame(at: asked)
                    #expect([UInt8](frame.rgba8()) == expected[asked], "frame \(asked), after \(last)")
                }
            }
        }
    }

    @Test func `size and orientation apply to each frame`() throws {
        var parts = try Self.animation().parts()
        parts.insert("eXIf", exifBlock(orientation: 6), before: "IEND")
        let upright = try decode(parts.data)
        #expect(upright.size == PixelSize(width: 11, height: 13))
        let animation = try #require(upright.animation)
        let stored = Self.animation().composited()
        for index in 0..<4 {
            let frame = try animation.decodeFrame(at: index)
            // The displayed top left is the stored bottom left.
            #expect([UInt8](frame.rgba8()).prefix(4) == stored[index][10 * 13 * 4..<10 * 13 * 4 + 4])
        }
        let small = try decode(parts.data, DecodeOptions(target: .fit(PixelBox(width: 5))))
        let frame = try #require(try small.animation?.decodeFrame(at: 2))
        #expect(frame.size == small.size && small.size.width == 5)
    }

    @Test func `the byte limit is divided among all frames`() throws {
        let image = try decode(Self.animation().data(), DecodeOptions(target: .fitBytes(4 * 4 * 30)))
        #expect(image.size.pixelCount <= 30)
        let first = try decode(
            Self.animation().data(),
            DecodeOptions(target: .fitBytes(4 * 4 * 30), frames: .first)
        )
        #expect(first.size.pixelCount > 30)
    }
}
