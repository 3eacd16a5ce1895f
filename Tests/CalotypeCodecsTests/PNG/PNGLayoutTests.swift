import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Palettes, depths and filters chosen by the encoder: fewer bytes, the same pixels.
@Suite(.blocking, .inBothModes) struct PNGLayoutTests {
    private static let size = PixelSize(width: 61, height: 37)

    private func image(_ format: PixelFormat, size: PixelSize = size, _ pixel: (Int, Int) -> [UInt8]) -> Image
    {
        let pixels = PixelBuffer(byteCount: size.pixelCount * format.bytesPerPixel) { bytes in
            for index in 0..<size.pixelCount {
                let levels = pixel(index % size.width, index / size.width)
                for (channel, level) in levels.enumerated() {
                    bytes[index * format.bytesPerPixel + channel] = level
                }
            }
        }
        return Image(size: size, pixelFormat: format, pixels: pixels)
    }

    /// The depth and the colour type in IHDR.
    private func layout(_ file: Data) -> [UInt8] { [UInt8](PNGParts(file).chunks[0].payload[8..<10]) }

    private func expectSame(_ image: Image, _ encoder: PNGEncoder = PNGEncoder()) throws -> Data {
        let file = try encoder.tested.encode(image)
        let back = try CodecRegistry.tested.decode(file)
        #expect(back.pixelFormat == image.pixelFormat && back.bytes == image.bytes)
        try expectEqual(decodePiecewise(file, .random), back)
        return file
    }

    @Test(arguments: [2, 3, 4, 5, 16, 17, 255, 256, 257], [false, true])
    func `few colours become a palette of minimal depth and round-trip exactly`(
        count: Int,
        isInterlaced: Bool
    ) throws {
        let picture = image(.rgb8, size: PixelSize(width: 160, height: 90)) { x, y in
            // Neighbouring values that no filter equalises.
            let index = (count > 16 ? x * x * 7 + y * y * 13 + x * y * 5 : x + y * 61) % count
            return [UInt8(index & 255), UInt8(index * 7 & 255), UInt8(index >> 4 | index / 256 * 200)]
        }
        let file = try expectSame(picture, PNGEncoder(isInterlaced: isInterlaced))
        let bits: UInt8 = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8
        #expect(layout(file) == (count <= 256 ? [bits, 3] : [8, 2]))
    }

    @Test func `translucent palette colours round-trip exactly, and opaque pixels retain alpha`() throws {
        let translucent = image(.rgba8) { x, y in [UInt8(x % 4 * 60), 9, 200, UInt8(y % 4 * 63)] }
        #expect(try layout(expectSame(translucent)) == [4, 3])
        let opaque = image(.rgba8) { x, y in [UInt8(x / 20), UInt8(y / 20), 30, 255] }
        #expect(try layout(expectSame(opaque)) == [4, 3])
        let hidden = image(.rgba8) { x, y in [UInt8(x / 20 * 9), UInt8(y), 0, 0] }
        _ = try expectSame(hidden)
    }

    @Test(arguments: [(255, 1), (85, 2), (17, 4), (51, 4), (1, 8)] as [(Int, UInt8)])
    func `gray of evenly spaced levels has minimal depth`(step: Int, bits: UInt8) throws {
        let picture = image(.gray8) { x, y in [UInt8((x + y) * step % (256 / step * step))] }
        #expect(try layout(expectSame(picture)) == [bits, 0])
    }

    @Test func `a gradient of few colours retains its channels, since filters take fewer bytes`() throws {
        let picture = image(.rgb8, size: PixelSize(width: 200, height: 200)) { x, y in
            [UInt8((x + y) / 2), UInt8((x + y) / 2), 90]
        }
        let file = try expectSame(picture)
        #expect(file.count < 1_000, "\(file.count) bytes")
    }

    /// With all colours in one hash slot, each pixel would be compared with each colour.
    @Test func `colours chosen to be slow to look up do not become a palette`() throws {
        var colors: [UInt32] = []
        var color: UInt32 = 0xFF00_0000
        while colors.count < 200 {
            if (color &* 0x9E37_79B1) >> 22 == 5 { colors.append(color) }
            color += 1
        }
        let picture = image(.rgb8, size: PixelSize(width: 160, height: 90)) { x, y in
            let index = (x * x * 7 + y * y * 13 + x * y * 5) % colors.count
            let color = colors[index]
            return [UInt8(color >> 16 & 255), UInt8(color >> 8 & 255), UInt8(color & 255)]
        }
        #expect(try layout(expectSame(picture)) == [8, 2])
    }

    @Test func `a palette larger than its savings is not written`() throws {
        let size = PixelSize(width: 8, height: 8)
        let picture = image(.rgb8, size: size) { x, y in [UInt8(x * 30), UInt8(y * 30), 7] }
        #expect(try layout(expectSame(picture)) == [8, 2])
    }

    @Test func `frames of an animation have the channels of the first`() throws {
        let frames = (0..<3).map { index in image(.rgb8) { x, _ in [UInt8(x / 30), UInt8(index), 0] } }
        let durations = frames.map { _ in Duration.milliseconds(50) }
        let file = try PNGEncoder().tested.encode(StillFrames(frames, durations: durations).image)
        #expect(layout(file) == [8, 2])
        let animation = try #require(try CodecRegistry.tested.decode(file).animation)
        #expect(try animation.decodedFrames() == frames.map { [UInt8]($0.rgba8()) })
    }

    /// Bars, boxes and a little noise in more than 256 colours, like a screenshot.
    private func screen() -> Image {
        image(.rgb8, size: PixelSize(width: 640, height: 400)) { x, y in
            let box = (x / 80 + y / 50) % 7
            let mark = x % 11 == 3 && y % 9 < 2 ? 40 : 0
            return [UInt8(box * 30 + mark), UInt8(y / 50 * 20), UInt8(x / 10 + y / 4 % 60)]
        }
    }

    @Test func `a flat image takes fewer bytes than with filters for photographs`() throws {
        let file = try expectSame(screen())
        #expect(file.count < 9_000, "\(file.count) bytes")
    }
}
