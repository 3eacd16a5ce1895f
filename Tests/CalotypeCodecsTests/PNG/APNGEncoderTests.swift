import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct APNGEncoderTests {
    private func image(
        _ frames: [Image],
        durations: [Duration]? = nil,
        loopCount: LoopCount = .infinite
    ) -> Image {
        let durations = durations ?? frames.map { _ in .milliseconds(40) }
        return StillFrames(frames, durations: durations, loopCount: loopCount).image
    }

    private static func frames(_ format: PixelFormat, _ count: Int = 5) -> [Image] {
        (0..<count).map {
            TestImages.photograph(PixelSize(width: 31, height: 17), format: format, seed: UInt64($0))
        }
    }

    @Test(arguments: PixelFormat.eightBitFormats, [false, true])
    func `an animation round-trips`(format: PixelFormat, isInterlaced: Bool) throws {
        let frames = Self.frames(format)
        let durations = [11, 40, 1000, 65_535, 100].map(Duration.milliseconds)
        let original = image(frames, durations: durations, loopCount: .times(7))
        let data = try PNGEncoder(isInterlaced: isInterlaced).tested.encode(original)
        let decoded = try CodecRegistry.tested.decode(data)
        let animation = try #require(decoded.animation)
        #expect(decoded.pixelFormat == format)
        #expect(animation.loopCount == .times(7))
        #expect((0..<5).map(animation.duration(ofFrameAt:)) == durations)
        #expect(try animation.decodedFrames() == frames.map { [UInt8]($0.rgba8()) })
    }

    @Test(arguments: [(65_536, 65_540), (700_000, 700_000), (7_000_000, 7_000_000)])
    func `long durations are written in coarser units`(milliseconds: Int, written: Int) throws {
        let durations = [milliseconds, 100].map(Duration.milliseconds)
        let data = try PNGEncoder().tested.encode(image(Self.frames(.rgb8, 2), durations: durations))
        let info = try CodecRegistry.tested.info(of: data)
        #expect(info.animationDuration == .milliseconds(written + 100))
        #expect(info.loopCount == .infinite)
    }

    @Test func `only the changed rectangle is written`() throws {
        let size = PixelSize(width: 31, height: 17)
        let before = TestImages.asymmetric(size, format: .rgba8)
        // Two pixels differ: at 4, 3 and at 20, 9.
        var bytes = before.bytes
        bytes[(3 * 31 + 4) * 4 + 3] ^= 1
        bytes[(9 * 31 + 20) * 4] ^= 1
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        let after = Image(size: size, pixelFormat: .rgba8, pixels: pixels)
        let parts = PNGParts(try PNGEncoder().tested.encode(image([before, after, after])))
        let controls = parts.chunks.filter { $0.type == "fcTL" }.map(\.payload)
        let places = controls.map { control in
            stride(from: 4, to: 20, by: 4).map { start in
                control.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            }
        }
        #expect(places == [[31, 17, 0, 0], [17, 7, 4, 3], [1, 1, 0, 0]])
        let decoded = try CodecRegistry.tested.decode(parts.data)
        #expect(try decoded.animation?.decodedFrames() == [before.bytes, after.bytes, after.bytes])
    }

    @Test func `frames of different formats become RGBA`() throws {
        let frames = Self.frames(.rgb8, 2) + Self.frames(.rgba8, 1) + Self.frames(.gray8, 1)
        let data = try PNGEncoder().tested.encode(image(frames))
        let animation = try #require(try CodecRegistry.tested.decode(data).animation)
        #expect(try animation.decodedFrames() == frames.map { [UInt8]($0.rgba8()) })
    }

    @Test func `the shared settings apply to animations`() throws {
        let original = image(Self.frames(.rgb8))
        var encoder = PNGEncoder()
        let data = try encoder.encode(original)
        encoder.options.maxByteCount = data.count
        #expect(try encoder.encode(original) == data)
        encoder.options.maxByteCount = data.count - 1
        let error = #expect(throws: EncodeError.self) { try encoder.encode(original) }
        #expect(error?.code == .limitExceeded)
        encoder.options = EncodeOptions(maxSize: PixelBox(width: 10))
        let small = try CodecRegistry.tested.decode(encoder.encode(original))
        #expect(small.size.width == 10)
        #expect(try small.animation?.decodeFrame(at: 4).size == small.size)
        encoder.options = EncodeOptions(frames: .first)
        #expect(try CodecRegistry.tested.decode(encoder.encode(original)).animation == nil)
    }
}
