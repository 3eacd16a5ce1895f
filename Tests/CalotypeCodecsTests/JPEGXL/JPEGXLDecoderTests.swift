import CCodecs
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct JPEGXLDecoderTests {
    static let size = PixelSize(width: 90, height: 60)

    private func info(_ data: Data) throws -> ImageInfo {
        try JPEGXLDecoder().tested.info(of: data, limits: DecodeLimits())
    }

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
        try JPEGXLDecoder().tested.decode(data, options: options)
    }

    /// The maximum distance of a level from the nearest one.
    ///
    /// libjxl 0.7 rounds; later versions such as 0.11 dither between two levels.
    static let roundingError = cc_jxl_version() < 8000 ? 0 : 1

    private func isNear(_ levels: [UInt8], _ expected: [UInt8]) -> Bool {
        levels.count == expected.count
            && zip(levels, expected).allSatisfy { abs(Int($0) - Int($1)) <= Self.roundingError }
    }

    // MARK: - Pixels

    @Test func `sixteen bits are rounded to eight`() throws {
        let image = try decode(JPEGXLFixtures.sixteenBits)
        #expect(image.pixelFormat == .gray8)
        let rounded: [UInt8] = (0..<65536).map { value in UInt8((value * 255 + 32767) / 65535) }
        #expect(isNear(image.bytes, rounded))
    }

    @Test func `gray with alpha becomes RGBA and is turned`() throws {
        let image = try decode(JPEGXLFixtures.grayAlpha)
        #expect(image.size == PixelSize(width: 3, height: 4))
        #expect(image.metadata.orientation == .right && image.metadata.isOrientationApplied)
        // Turned right: the lower left pixel, number 8, comes first.
        #expect(image.bytes.prefix(8) == [160, 160, 160, 175, 80, 80, 80, 215])
        let info = try info(JPEGXLFixtures.grayAlpha)
        #expect(info.hasAlpha && info.orientation == .right && info.size == PixelSize(width: 4, height: 3))
    }

    @Test func `a declined orientation is reported, and the pixels stay as stored`() throws {
        let image = try decode(JPEGXLFixtures.grayAlpha, DecodeOptions(appliesOrientation: false))
        #expect(image.size == PixelSize(width: 4, height: 3))
        #expect(image.bytes.prefix(8) == [0, 0, 0, 255, 20, 20, 20, 245])
        #expect(image.metadata.orientation == .right && !image.metadata.isOrientationApplied)
    }

    @Test func `a named colour space is converted unless declined`() throws {
        let stored = try decode(JPEGXLFixtures.displayP3, DecodeOptions(convertsToSRGB: false))
        #expect(stored.bytes == [255, 0, 0, 200, 100, 50, 30, 160, 90, 128, 128, 128])
        let converted = try decode(JPEGXLFixtures.displayP3).bytes
        // By the matrices of Display P3 and sRGB, clipped to sRGB.
        let expected: [Int] = [255, 0, 0, 215, 93, 31, 0, 163, 82, 128, 128, 128]
        for (own, wanted) in zip(converted, expected) { #expect(abs(Int(own) - wanted) <= 2) }
        #expect(try info(JPEGXLFixtures.displayP3).hasColorProfile)
        #expect(try !info(JPEGXLFixtures.sixteenBits).hasColorProfile)
    }

    @Test(arguments: [
        (DecodeOptions.Target.fit(PixelBox(width: 30, height: 30)), PixelSize(width: 30, height: 20)),
        (.fill(PixelBox(width: 30, height: 30)), PixelSize(width: 45, height: 30)),
        (.fitBytes(4 * 24), PixelSize(width: 6, height: 4)),
    ])
    func `the decoded size follows the target's rule`(target: DecodeOptions.Target, size: PixelSize) throws {
        let file = try JPEGXLEncoder(effort: 3).tested.encode(TestImages.photograph(Self.size))
        #expect(try decode(file, DecodeOptions(target: target)).size == size)
    }

    // MARK: - Animation

    @Test func `the frame count, loop count and durations are read`() throws {
        let info = try info(JPEGXLFixtures.layers)
        #expect(info.frameCount == 5 && info.loopCount == .times(3) && info.hasAlpha)
        #expect(info.animationDuration == .milliseconds(50 + 60 + 70 + 80 + 100))
        let animation = try #require(try decode(JPEGXLFixtures.layers).animation)
        #expect(animation.frameCount == 5 && animation.loopCount == .times(3))
        let durations = (0..<5).map { animation.duration(ofFrameAt: $0) }
        #expect(durations == [50, 60, 70, 80, 100].map { .milliseconds($0) })
    }

    @Test func `each frame is composed from its layers and earlier frames`() throws {
        let animation = try #require(try decode(JPEGXLFixtures.layers).animation)
        let frames = try (0..<5).map { try animation.decodeFrame(at: $0).bytes }
        func pixel(_ frame: Int, _ x: Int, _ y: Int) -> [UInt8] {
            Array(frames[frame][(y * 12 + x) * 4..<(y * 12 + x) * 4 + 4])
        }
        #expect(pixel(0, 1, 1) == [200, 10, 10, 255])
        #expect(pixel(1, 1, 1) == [10, 200, 10, 255] && pixel(1, 0, 0) == [200, 10, 10, 255])
        #expect(pixel(2, 1, 1) == [10, 200, 10, 255] && pixel(2, 6, 2) == [10, 10, 200, 255])
        #expect(isNear(pixel(2, 7, 3), [5, 105, 200, 255]))
        #expect(isNear(pixel(2, 10, 6), [100, 105, 105, 255]))
        #expect(pixel(3, 1, 1) == [90, 90, 90, 255])
        #expect(pixel(4, 1, 1) == [255, 255, 255, 255] && pixel(4, 2, 1) == [90, 90, 90, 255])
    }

    @Test func `frames decoded in any order equal frames decoded in order`() throws {
        let animated = try JPEGXLEncoder(effort: 3).tested.encode(TestImages.jxlAnimation(frameCount: 7))
        for file in [animated, JPEGXLFixtures.layers] {
            let animation = try #require(try decode(file).animation)
            let count = animation.frameCount
            let inOrder = try (0..<count).map { try animation.decodeFrame(at: $0).bytes }
            var random = SeededGenerator(seed: 3)
            for _ in 0..<24 {
                // Cached frames would be returned without decoding.
                FrameBudget.shared.removeAll()
                let index = Int.random(in: 0..<count, using: &random)
                #expect(try animation.decodeFrame(at: index).bytes == inOrder[index], "frame \(index)")
            }
        }
    }

    @Test func `only the first frame is decoded on request`() throws {
        let image = try decode(JPEGXLFixtures.layers, DecodeOptions(frames: .first))
        #expect(image.animation == nil)
        #expect(image.bytes.prefix(4) == [200, 10, 10, 255])
    }

    @Test func `a target applies to all frames, and all bytes count`() throws {
        let file = try JPEGXLEncoder(effort: 3).tested.encode(TestImages.jxlAnimation(frameCount: 4))
        let options = DecodeOptions(target: .fitBytes(4 * 4 * 24))
        let image = try decode(file, options)
        #expect(image.size == PixelSize(width: 6, height: 4))
        #expect(try #require(image.animation).decodeFrame(at: 3).size == image.size)
    }

    // MARK: - Limits

    private func code(_ data: Data, _ limits: DecodeLimits) -> DecodeError.Code? {
        let decoded = decodeError { try decode(data, DecodeOptions(limits: limits)) }?.code
        let told = decodeError { try JPEGXLDecoder().tested.info(of: data, limits: limits) }?.code
        #expect(decoded == told)
        return decoded
    }

    @Test func `each limit is enforced exactly`() throws {
        let file = try JPEGXLEncoder(effort: 3).tested.encode(TestImages.photograph(Self.size))
        #expect(code(file, DecodeLimits(maxPixelCount: 5400)) == nil)
        #expect(code(file, DecodeLimits(maxPixelCount: 5399)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxByteCount: file.count)) == nil)
        #expect(code(file, DecodeLimits(maxByteCount: file.count - 1)) == .limitExceeded)
    }

    @Test func `frames and their layers are counted`() {
        let layers = JPEGXLFixtures.layers
        #expect(code(layers, DecodeLimits(maxFrameCount: 6)) == nil)
        #expect(code(layers, DecodeLimits(maxFrameCount: 5)) == .limitExceeded)
        #expect(code(layers, DecodeLimits(maxFramePixelCount: 96 * 5)) == nil)
        #expect(code(layers, DecodeLimits(maxFramePixelCount: 96 * 5 - 1)) == .limitExceeded)
    }

    @Test func `a layer larger than the image counts at its own size`() {
        let file = JPEGXLFixtures.largeLayer
        #expect(code(file, DecodeLimits(maxPixelCount: 2_250_064)) == nil)
        #expect(code(file, DecodeLimits(maxPixelCount: 2_250_063)) == .limitExceeded)
    }
}

extension TestImages {
    /// An animation of 90 × 60 pixels with different frames; each is shown 20 ms and a third longer than the
    /// one before.
    static func jxlAnimation(frameCount: Int, format: PixelFormat = .rgb8, loops: LoopCount = .infinite)
        -> Image
    {
        let frames = (0..<frameCount).map { index in
            photograph(PixelSize(width: 90, height: 60), format: format, seed: UInt64(index + 1))
        }
        let durations = (0..<frameCount).map { Duration.microseconds(20_000 + 6_667 * $0) }
        return StillFrames(frames, durations: durations, loopCount: loops).image
    }
}
