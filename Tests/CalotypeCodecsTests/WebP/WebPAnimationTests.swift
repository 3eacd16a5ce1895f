import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct WebPAnimationTests {
    private func animation(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> Animation {
        try #require(try WebPDecoder().tested.decode(data, options: options).animation)
    }

    /// A pixel composited over another by the definition of "over".
    private func over(_ above: ArraySlice<UInt8>, _ below: ArraySlice<UInt8>) -> [UInt8] {
        let (front, back) = (above.map(Double.init), below.map(Double.init))
        let alpha = front[3] + back[3] * (255 - front[3]) / 255
        guard alpha > 0 else { return [0, 0, 0, 0] }
        let colors = (0..<3).map { channel in
            (front[channel] * front[3] + back[channel] * back[3] * (255 - front[3]) / 255) / alpha
        }
        return (colors + [alpha]).map { UInt8($0.rounded()) }
    }

    /// The canvases of an animation, composited pixel by pixel.
    private func canvases(_ size: PixelSize, _ frames: [WebPFrameParts]) -> [[UInt8]] {
        var canvas = [UInt8](repeating: 0, count: size.pixelCount * 4)
        return frames.map { frame in
            let pixels = [UInt8](frame.image.rgba8())
            func forEachPixel(_ body: (Int, Int) -> Void) {
                for y in 0..<frame.image.size.height {
                    for x in 0..<frame.image.size.width {
                        let to = ((frame.y + y) * size.width + frame.x + x) * 4
                        body((y * frame.image.size.width + x) * 4, to)
                    }
                }
            }
            forEachPixel { from, to in
                let new = pixels[from..<from + 4]
                let value = frame.blends ? over(new, canvas[to..<to + 4]) : Array(new)
                canvas.replaceSubrange(to..<to + 4, with: value)
            }
            defer {
                if frame.isDisposed {
                    forEachPixel { _, to in
                        canvas.replaceSubrange(to..<to + 4, with: [0, 0, 0, 0])
                    }
                }
            }
            return canvas
        }
    }

    /// Bytes with colours zeroed where alpha is 0.
    private func visible(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] == 0 {
            bytes.replaceSubrange(pixel..<pixel + 4, with: [0, 0, 0, 0])
        }
        return bytes
    }

    @Test(arguments: 0..<12)
    func `frames are blended and disposed of as the standard specifies`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let canvas = PixelSize(width: 24, height: 18)
        let frames = (0..<8).map { index in
            let x = Int.random(in: 0...8, using: &random) * 2
            let y = Int.random(in: 0...6, using: &random) * 2
            let isFull = Int.random(in: 0..<4, using: &random) == 0
            let size = PixelSize(
                width: isFull ? 24 : Int.random(in: 1...24 - x, using: &random),
                height: isFull ? 18 : Int.random(in: 1...18 - y, using: &random)
            )
            let format: PixelFormat = Bool.random(using: &random) ? .rgba8 : .rgb8
            return WebPFrameParts(
                image: TestImages.photograph(size, format: format, seed: UInt64(index + 10 * seed)),
                x: isFull ? 0 : x,
                y: isFull ? 0 : y,
                blends: Bool.random(using: &random),
                isDisposed: Bool.random(using: &random)
            )
        }
        let data = try WebPParts.animation(canvas, frames).data
        let animation = try animation(data)
        let expected = canvases(canvas, frames)
        for index in 0..<8 {
            let frame = try animation.decodeFrame(at: index)
            let own = visible([UInt8](frame.rgba8()))
            let differences = zip(own, visible(expected[index])).map { abs(Int($0) - Int($1)) }
            // Several translucent layers are rounded one by one in both.
            #expect(differences.max() ?? 0 <= 1, "seed \(seed), frame \(index)")
        }
    }

    @Test func `the frame count, durations and loop count are read from the chunks`() throws {
        for (_, data) in WebPFiles.animations {
            let info = try WebPDecoder().tested.info(of: data, limits: DecodeLimits())
            #expect(info.frameCount == 6 && info.loopCount == .times(3))
            #expect(info.animationDuration == .milliseconds(320))
            #expect(info.hasAlpha && info.pixelFormat == .rgba8)
            let animation = try animation(data)
            #expect(animation.frameCount == 6 && animation.loopCount == .times(3))
            #expect(animation.duration(ofFrameAt: 2) == .milliseconds(120))
            #expect(animation.duration == .milliseconds(320))
        }
    }

    @Test func `a duration below 11 ms becomes 100 ms, and a missing loop count is endless`() throws {
        let image = TestImages.photograph(PixelSize(width: 8, height: 8))
        let frames = [0, 10, 11, 65_536].map { WebPFrameParts(image: image, milliseconds: $0) }
        var parts = try WebPParts.animation(image.size, frames)
        #expect(try animation(parts.data).loopCount == .infinite)
        parts.chunks.removeAll { $0.type == "ANIM" }
        let animation = try animation(parts.data)
        #expect(animation.loopCount == .infinite)
        #expect(
            (0..<4).map { animation.duration(ofFrameAt: $0) }
                == [100, 100, 11, 65_536].map { .milliseconds($0) }
        )
    }

    @Test(arguments: WebPFiles.animations)
    func `frames decoded in any order equal frames decoded in order`(name: String, data: Data) throws {
        let inOrder = try animation(data)
        let expected = try (0..<6).map { try inOrder.decodeFrame(at: $0) }
        for index in [5, 0, 3, 1, 4, 2, 2, 0, 5] {
            // A new value each time, so that no frame is cached.
            let fresh = try animation(data)
            #expect(try fresh.decodeFrame(at: index).hasBytes(of: expected[index]), "frame \(index)")
        }
        var random = SeededGenerator(seed: 5)
        let animation = try animation(data)
        for _ in 0..<30 {
            let index = Int.random(in: 0..<6, using: &random)
            // Cached frames must not be used.
            FrameBudget.shared.removeAll()
            #expect(try animation.decodeFrame(at: index).hasBytes(of: expected[index]), "frame \(index)")
        }
    }

    @Test(arguments: WebPFiles.animations)
    func `the first frame alone is an equal still`(name: String, data: Data) throws {
        let first = try WebPDecoder().tested.decode(data, options: DecodeOptions(frames: .first))
        #expect(first.animation == nil)
        let image = try WebPDecoder().tested.decode(data, options: DecodeOptions())
        #expect(first.hasBytes(of: image))
        #expect(try image.animation?.decodeFrame(at: 0) === image.animation?.residentFrame(at: 0))
    }

    @Test func `the first frame is decoded if the next is damaged, which is an error if requested`() throws {
        let parts = try WebPFiles.animationWithDamagedEnd()
        let image = try WebPDecoder().tested.decode(parts.data, options: DecodeOptions())
        let animation = try #require(image.animation)
        _ = try animation.decodeFrame(at: 4)
        #expect(decodeError { try animation.decodeFrame(at: 5) }?.code == .corrupt)
        _ = try animation.decodeFrame(at: 4)
    }

    @Test func `an animation of opaque frames that cover the canvas has no alpha`() throws {
        let size = PixelSize(width: 40, height: 30)
        let full = WebPFrameParts(image: TestImages.photograph(size))
        let part = WebPFrameParts(
            image: TestImages.photograph(PixelSize(width: 20, height: 20), seed: 2),
            x: 10,
            y: 4
        )
        var disposed = part
        disposed.isDisposed = true
        var cleared = full
        cleared.isDisposed = true
        let files: [([WebPFrameParts], PixelFormat)] = [
            ([full, part, full], .rgb8), ([full, disposed, full, part], .rgb8), ([cleared, full], .rgb8),
            ([part, full], .rgba8), ([full, disposed, part], .rgba8), ([cleared, part], .rgba8),
        ]
        for (frames, format) in files {
            let data = try WebPParts.animation(size, frames).data
            let animation = try animation(data)
            let expected = canvases(size, frames)
            for index in frames.indices {
                let frame = try animation.decodeFrame(at: index)
                #expect(frame.pixelFormat == format)
                let isSame = [UInt8](frame.rgba8()) == expected[index]
                #expect(isSame)
            }
        }
    }

    @Test func `the orientation and the target apply to each frame`() throws {
        var parts = try WebPFiles.animation(isLossless: true)
        parts.chunks.append(("EXIF", exifBlock(orientation: 8)))
        let image = try WebPDecoder().tested.decode(
            parts.data,
            options: DecodeOptions(target: .fit(PixelBox(width: 60, height: 60)))
        )
        let animation = try #require(image.animation)
        let plain = try WebPDecoder().tested.decode(
            try WebPFiles.animation(isLossless: true).data,
            options: DecodeOptions()
        )
        for index in 0..<6 {
            let frame = try animation.decodeFrame(at: index)
            #expect(frame.size == PixelSize(width: 47, height: 60))
            let whole = try #require(try plain.animation?.decodeFrame(at: index))
            let small = try Resampler.resize(whole, to: PixelSize(width: 60, height: 47))
            // A quarter turn to the left: the displayed lower left is the stored upper left.
            let (turned, upright) = ([UInt8](frame.rgba8()), [UInt8](small.rgba8()))
            for (x, y) in [(0, 0), (17, 5), (59, 46), (30, 22)] {
                let to = ((59 - x) * 47 + y) * 4
                let from = (y * 60 + x) * 4
                #expect(turned[to..<to + 4] == upright[from..<from + 4])
            }
        }
    }

    @Test func `a single frame is a still`() throws {
        let image = TestImages.photograph(PixelSize(width: 20, height: 10), format: .rgba8)
        let data = try WebPParts.animation(
            PixelSize(width: 30, height: 12),
            [WebPFrameParts(image: image, x: 4)]
        )
        .data
        let decoded = try WebPDecoder().tested.decode(data, options: DecodeOptions())
        #expect(decoded.animation == nil && decoded.size == PixelSize(width: 30, height: 12))
        #expect(decoded.bytes[0..<16].allSatisfy { $0 == 0 })
        let info = try WebPDecoder().tested.info(of: data, limits: DecodeLimits())
        #expect(info.frameCount == 1 && info.loopCount == nil)
    }

    @Test(arguments: ["size", "place", "empty", "canvas"])
    func `a frame beyond its canvas is corrupt`(fault: String) throws {
        let frame = WebPFrameParts(image: TestImages.photograph(PixelSize(width: 20, height: 10)), x: 4)
        var parts = try WebPParts.animation(PixelSize(width: 24, height: 10), [frame, frame])
        _ = try WebPDecoder().tested.decode(parts.data, options: DecodeOptions())
        switch fault {
        case "size": parts.chunks[3].payload[6] = 18
        case "place": parts.chunks[3].payload[0] = 3
        case "empty": parts.chunks[3].payload = parts.chunks[3].payload.prefix(16)
        default: parts.chunks.removeFirst()
        }
        // In process only for unrecognised data, which is not sent to workers.
        let webP: any ImageDecoder = fault == "canvas" ? WebPDecoder() : WebPDecoder().tested
        let error = decodeError { try webP.decode(parts.data, options: DecodeOptions()) }
        #expect(error?.code == .corrupt)
    }
}
