import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Animations with more frames than the limit, which are truncated on request.
@Suite(.blocking, .inBothModes) struct TruncatedAnimationTests {
    private static let frameCount = 6
    private static let size = PixelSize(width: 24, height: 16)

    private static let encoders: [any ImageEncoder] = [
        GIFEncoder(), PNGEncoder(), WebPEncoder(isLossless: true), AVIFEncoder(speed: 10),
        JPEGXLEncoder(effort: 1),
    ]

    private static func file(_ encoder: any ImageEncoder) throws -> Data {
        let frames = FakeFrameSource(frameCount: frameCount, size: size, valueStep: 40)
        let first = frames.image(at: 0)
        return try encoder.encode(
            first.replacing(animation: Animation(source: frames, firstFrame: first))
        )
    }

    private static func limits(_ count: Int, pixels: Int = 1_000_000) -> DecodeLimits {
        DecodeLimits(maxFrameCount: count, maxFramePixelCount: pixels, truncatesAnimations: true)
    }

    private static func grays(_ image: Image) throws -> [Int] {
        guard let animation = image.animation else { return [Int(image.rgba8()[0])] }
        return try (0..<animation.frameCount).map { Int(try animation.decodeFrame(at: $0).rgba8()[0]) }
    }

    @Test(arguments: encoders.indices, [1, 2, 5, 6, 7])
    func `the frames up to the limit are decoded, and the header counts them only`(
        index: Int,
        count: Int
    ) throws {
        let file = try Self.file(Self.encoders[index])
        let limits = Self.limits(count)
        let kept = min(count, Self.frameCount)
        #expect(try CodecRegistry.tested.info(of: file, limits: limits).frameCount == kept)
        let image = try CodecRegistry.tested.decode(file, options: DecodeOptions(limits: limits))
        let grays = try Self.grays(image)
        let whole = try Self.grays(CodecRegistry.tested.decode(file))
        #expect(whole.count == Self.frameCount)
        #expect(grays == Array(whole.prefix(kept)))
        // A later file of the whole bytes would have all frames again.
        if count < Self.frameCount { #expect(image.animation?.encodedData == nil) }
    }

    @Test(arguments: encoders.indices)
    func `the first frame of an animation of any length is decoded`(index: Int) throws {
        let file = try Self.file(Self.encoders[index])
        let options = DecodeOptions(frames: .first, limits: Self.limits(1))
        let image = try CodecRegistry.tested.decode(file, options: options)
        #expect(image.animation == nil && image.size == Self.size)
    }

    @Test(arguments: encoders.indices)
    func `the limit of pixels in all frames truncates too`(index: Int) throws {
        let file = try Self.file(Self.encoders[index])
        let limits = Self.limits(100, pixels: 3 * Self.size.pixelCount + 1)
        #expect(try CodecRegistry.tested.info(of: file, limits: limits).frameCount == 3)
    }

    @Test(arguments: encoders.indices)
    func `unless requested, an animation with too many frames is rejected`(index: Int) throws {
        let file = try Self.file(Self.encoders[index])
        let error = decodeError {
            try CodecRegistry.tested.info(of: file, limits: DecodeLimits(maxFrameCount: 5))
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test(arguments: encoders.indices)
    func `an incremental decoder truncates like an ordinary one`(index: Int) throws {
        let file = try Self.file(Self.encoders[index])
        let options = DecodeOptions(limits: Self.limits(2))
        guard let decoder = CodecRegistry.tested.makeIncrementalDecoder(forHead: file, options: options)
        else { return }
        for start in stride(from: 0, to: file.count, by: 50) {
            try decoder.append(file.dropFirst(start).prefix(50))
        }
        let image = try decoder.finish()
        #expect(try Self.grays(image).count == 2)
    }

    /// A GIF of one pixel a frame, whose frames after the limit are damaged.
    @Test func `frames after the limit are not read`() throws {
        let file = try Self.file(GIFEncoder())
        let sound = try CodecRegistry.tested.decode(file, options: DecodeOptions(limits: Self.limits(2)))
        // The last 40 bytes belong to the last frame.
        let damaged = file.dropLast(40) + Data(repeating: 0xAA, count: 40)
        #expect(decodeError { try CodecRegistry.tested.decode(Data(damaged)) } != nil)
        let image = try CodecRegistry.tested.decode(
            Data(damaged),
            options: DecodeOptions(limits: Self.limits(2))
        )
        #expect(try Self.grays(image) == Self.grays(sound))
    }

    /// A header that claims 10⁹ frames.
    @Test func `a false frame count is bounded by the limit`() throws {
        var parts = PNGParts(try Self.file(PNGEncoder()))
        let control = try #require(parts.chunks.firstIndex { $0.type == "acTL" })
        parts.chunks[control].payload.replaceSubrange(0..<4, with: [0x3B, 0x9A, 0xCA, 0])
        let info = try CodecRegistry.tested.info(of: parts.data, limits: Self.limits(4))
        #expect(info.frameCount == 4)
        #expect(decodeError { try CodecRegistry.tested.info(of: parts.data) }?.code == .limitExceeded)
    }
}
