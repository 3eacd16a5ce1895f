import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

@Suite(.blocking, .inBothModes) struct GIFEncoderTests {
    static let size = PixelSize(width: 161, height: 97)

    private func decoded(_ data: Data) throws -> Image {
        try GIFDecoder().tested.decode(data, options: DecodeOptions())
    }

    private func image(_ size: PixelSize, _ format: PixelFormat, _ bytes: [UInt8]) -> Image {
        Image(
            size: size,
            pixelFormat: format,
            pixels: PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        )
    }

    // MARK: - Stills

    @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256])
    func `a still of few colours round-trips`(colorCount: Int) throws {
        let size = PixelSize(width: 23, height: 19)
        let bytes = (0..<size.pixelCount).flatMap { index in
            let color = index * 7 % colorCount
            return [UInt8(color), UInt8(255 - color), UInt8(color * 3 % 256)]
        }
        let back = try decoded(GIFEncoder().tested.encode(image(size, .rgb8, bytes)))
        #expect(back.bytes == bytes && back.size == size && back.pixelFormat == .rgb8)
    }

    @Test func `gray pixels are encoded as gray`() throws {
        let gray = TestImages.photograph(Self.size, format: .gray8)
        let back = try decoded(GIFEncoder().tested.encode(gray))
        #expect(back.pixelFormat == .gray8 && back.bytes == gray.bytes)
    }

    @Test func `alpha from 128 on is opaque and below it transparent`() throws {
        let bytes: [UInt8] = [1, 2, 3, 255, 4, 5, 6, 128, 7, 8, 9, 127, 10, 11, 12, 0]
        let back = try decoded(
            GIFEncoder().tested.encode(image(PixelSize(width: 4, height: 1), .rgba8, bytes))
        )
        #expect(back.bytes == [1, 2, 3, 255, 4, 5, 6, 255, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func `a photograph is near its pixels`() throws {
        let photograph = TestImages.photograph(Self.size)
        let plain = try decoded(GIFEncoder(dithers: false).tested.encode(photograph)).difference(
            to: photograph
        )
        #expect(plain.mean < 3, "\(plain)")
        let dithered = try decoded(GIFEncoder().tested.encode(photograph))
        #expect(dithered.difference(to: photograph).mean < 4)
        // Dithering preserves the mean colour of areas.
        let (own, other) = (PixelGrid(dithered), PixelGrid(photograph))
        #expect(own.difference(to: other).mean < 0.5)
    }

    @Test func `fewer colours give a smaller file`() throws {
        let photograph = TestImages.photograph(Self.size)
        let sizes = try [2, 16, 64, 256].map {
            try GIFEncoder(maxColorCount: $0).tested.encode(photograph).count
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2] && sizes[2] < sizes[3])
    }

    @Test func `a byte limit lowers the number of colours until the file fits`() throws {
        let photograph = TestImages.photograph(Self.size)
        let wanted = try GIFEncoder(maxColorCount: 64).tested.encode(photograph)
        let limited = GIFEncoder(options: EncodeOptions(maxByteCount: wanted.count))
        #expect(try limited.encode(photograph) == wanted)
        let plain = try GIFEncoder().tested.encode(photograph)
        #expect(
            try GIFEncoder(options: EncodeOptions(maxByteCount: plain.count)).tested.encode(photograph)
                == plain
        )
        for limit in [0, 1, 12, 300] {
            let encoder = GIFEncoder(options: EncodeOptions(maxByteCount: limit))
            #expect(encodeErrorCode { try encoder.encode(photograph) } == .limitExceeded)
        }
    }

    @Test func `the longest side of GIF round-trips, and a longer one is an error`() throws {
        let long = TestImages.asymmetric(PixelSize(width: 65_536, height: 1), format: .gray8)
        #expect(encodeErrorCode { try GIFEncoder().tested.encode(long) } == .unsupportedFeature)
        let longest = TestImages.asymmetric(PixelSize(width: 1, height: 65_535), format: .gray8)
        #expect(try decoded(GIFEncoder().tested.encode(longest)).bytes == longest.bytes)
    }

    // MARK: - Animations

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `an animation of few colours round-trips`(seed: UInt64) throws {
        var file = GIFAnimationTests.mixture(seed: seed)
        file.loopCount = Int(seed) % 3
        let image = try decoded(file.data)
        let back = try decoded(GIFEncoder().tested.encode(image))
        let (frames, others) = (try back.allFrames(), try image.allFrames())
        #expect(frames.count == others.count)
        for (frame, other) in zip(frames, others) { #expect(frame.rgba8() == other.rgba8()) }
        let (own, given) = (try #require(back.animation), try #require(image.animation))
        #expect(own.loopCount == given.loopCount && own.duration == given.duration)
    }

    @Test func `an animation of photographs stays near its frames`() throws {
        let frames = (1...4).map { TestImages.photograph(Self.size, seed: UInt64($0)) }
        let image = StillFrames(frames).image
        let back = try decoded(GIFEncoder().tested.encode(image))
        for (frame, other) in zip(try back.allFrames(), frames) {
            #expect(frame.pixelFormat == .rgb8)
            #expect(PixelGrid(frame).difference(to: PixelGrid(other)).mean < 0.5)
        }
    }

    /// Without one some players show the background colour.
    @Test func `a frame that is cleared has a transparent colour`() throws {
        let bytes = (0..<256).flatMap { (red: Int) -> [UInt8] in [UInt8(red), 9, 9, 255] }
        let size = PixelSize(width: 16, height: 16)
        let frames = [
            image(size, .rgba8, bytes), image(size, .rgba8, [UInt8](repeating: 0, count: 1024)),
            image(size, .rgba8, bytes),
        ]
        let animated = StillFrames(frames).image
        let layout = try layout(GIFEncoder().tested.encode(animated))
        let disposals: [GIFDisposal] = [.background, .keep, .keep]
        #expect(layout.frames.map(\.disposal) == disposals)
        #expect(layout.frames[0].transparentIndex != nil)
        let back = try decoded(GIFEncoder().tested.encode(animated)).allFrames()
        #expect(back[1].bytes == frames[1].bytes)
        #expect(back[0].difference(to: frames[0]).worst <= 1)
    }

    @Test func `frames of few colours share one table`() throws {
        let image = try decoded(GIFAnimationTests.mixture(seed: 2).data)
        let layout = try layout(GIFEncoder().tested.encode(image))
        #expect(Set(layout.frames.map(\.palette)).count == 1)
        let many = (1...2).map { TestImages.photograph(Self.size, seed: UInt64($0)) }
        let photographs = StillFrames(many).image
        #expect(
            try Set(self.layout(GIFEncoder().tested.encode(photographs)).frames.map(\.palette)).count == 2
        )
    }

    private func layout(_ data: Data) throws -> GIFLayout {
        var scanner = GIFScanner(limits: DecodeLimits())
        try scanner.scan(data.span)
        return scanner.layout
    }

    @Test func `durations are rounded, with a minimum of 20 ms`() {
        let expected: [(Duration, Int)] = [
            (.zero, 2), (.milliseconds(19), 2), (.milliseconds(24), 2), (.milliseconds(25), 3),
            (.milliseconds(1234), 123), (.seconds(655), 65500), (.seconds(1_000_000), 65535),
        ]
        for (duration, delay) in expected { #expect(duration.gifDelay == delay) }
    }

    @Test func `unchanged frames cost few bytes`() throws {
        let photograph = TestImages.photograph(Self.size)
        let still = try GIFEncoder().tested.encode(photograph).count
        let frames = [Image](repeating: photograph, count: 10)
        let image = StillFrames(frames).image
        #expect(try GIFEncoder().tested.encode(image).count < still + 10 * 60)
        #expect(try decoded(GIFEncoder().tested.encode(image)).animation?.frameCount == 10)
    }

    @Test func `the first frame alone is a still`() throws {
        let image = try decoded(GIFAnimationTests.mixture(seed: 1).data)
        let back = try decoded(GIFEncoder(options: EncodeOptions(frames: .first)).tested.encode(image))
        #expect(back.animation == nil && back.rgba8() == image.rgba8())
    }

    @Test func `frames are scaled to the box`() throws {
        let image = try decoded(GIFAnimationTests.mixture(seed: 1).data)
        let encoder = GIFEncoder(options: EncodeOptions(maxSize: PixelBox(width: 5)))
        for frame in try decoded(encoder.encode(image)).allFrames() {
            #expect(frame.size == PixelBox(width: 5).fitting(image.size))
        }
    }

    @Test func `a frame that does not decode is an error`() throws {
        var file = GIFFile(
            width: 2,
            height: 1,
            frames: [.filled(1, width: 2, height: 1), .filled(2, width: 2, height: 1)]
        )
        file.frames[1].indexes.removeLast()
        let image = try decoded(file.data)
        #expect(encodeErrorCode { try GIFEncoder().tested.encode(image) } == .undecodableFrame)
    }
}
