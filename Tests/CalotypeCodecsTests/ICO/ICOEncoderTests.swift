import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

@Suite(.blocking, .inBothModes) struct ICOEncoderTests {
    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8])
    func `an icon contains the pixels as PNG of 32 bits`(format: PixelFormat) throws {
        let image = TestImages.photograph(PixelSize(width: 40, height: 24), format: format)
        let file = try ICOEncoder().tested.encode(image)
        let bytes = [UInt8](file)
        // Directory: type 1, one image; entry: 40 × 24, no palette, 1 plane, 32 bits, the rest of the file.
        #expect(Array(bytes[0..<14]) == [0, 0, 1, 0, 1, 0, 40, 24, 0, 0, 1, 0, 32, 0])
        #expect(file.dropFirst(14).prefix(8) == littleEndian(file.count - 22) + littleEndian(22))
        #expect(file.dropFirst(22).starts(with: PNGParts.signature))
        // IHDR: 8 bits a channel, colour with alpha.
        #expect(Array(bytes[46..<48]) == [8, 6])
        let back = try ICODecoder().tested.decode(file, options: DecodeOptions())
        #expect(back.format == .ico && back.size == image.size && back.rgba8() == image.rgba8())
    }

    @Test(arguments: [
        (512, 341, 256, 171), (256, 256, 256, 256), (255, 1, 255, 1), (1, 1000, 1, 256), (257, 256, 256, 255),
    ])
    func `a side above 256 pixels is reduced`(width: Int, height: Int, across: Int, down: Int) throws {
        let image = TestImages.photograph(PixelSize(width: width, height: height))
        let file = try ICOEncoder().tested.encode(image)
        #expect([UInt8](file)[6..<8].elementsEqual([UInt8(across & 255), UInt8(down & 255)]))
        let info = try ICODecoder().tested.info(of: file, limits: DecodeLimits())
        #expect(info.size == PixelSize(width: across, height: down))
    }

    @Test func `an animation becomes its first frame`() throws {
        let animation = CodecConformanceTests.animation
        let file = try ICOEncoder().tested.encode(animation)
        #expect(try ICODecoder().tested.decode(file, options: DecodeOptions()).rgba8() == animation.rgba8())
    }

    @Test func `a level out of range is an error, and an effort sets it`() throws {
        let image = TestImages.photograph(PixelSize(width: 4, height: 4))
        #expect(encodeErrorCode { try ICOEncoder(compressionLevel: 10).encode(image) } == .invalidParameter)
        #expect(try ICOEncoder().adjusted(by: EncodeAdjustment(effort: 9)).compressionLevel == 9)
        #expect(throws: EncodeError.self) {
            try ICOEncoder().adjusted(by: EncodeAdjustment(isProgressive: true))
        }
    }

    // MARK: - The image for a size

    private func icon(_ levels: [(side: Int, level: UInt8)]) throws -> IconParts {
        IconParts(
            try levels.map { side, level in
                let size = PixelSize(width: side, height: side)
                let pixels = try PixelBuffer(byteCount: size.pixelCount * 4) { bytes throws(DecodeError) in
                    for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : level }
                }
                let image = Image(size: size, pixelFormat: .rgba8, pixels: pixels)
                return try ICOEncoder().encode(image).dropFirst(22)
            }
        )
    }

    private func decode(_ icon: IconParts, to side: Int) throws -> (size: PixelSize, level: UInt8) {
        let options = DecodeOptions(target: .fit(width: side, height: side))
        let image = try ICODecoder().tested.decode(icon.data, options: options)
        return (image.size, image.bytes[0])
    }

    @Test(arguments: [
        (16, 16, 1), (17, 17, 2), (32, 32, 2), (33, 33, 3), (64, 64, 3), (65, 65, 4), (500, 128, 4),
    ])
    func `the smallest image that covers the result is decoded`(side: Int, result: Int, level: UInt8) throws {
        let icon = try icon([(128, 4), (16, 1), (64, 3), (32, 2)])
        let (size, found) = try decode(icon, to: side)
        #expect(size == PixelSize(width: result, height: result) && found == level)
    }

    @Test func `a smaller image that is damaged is ignored`() throws {
        var icon = try icon([(64, 9), (32, 2)])
        icon.entries[1].bytes = icon.entries[1].bytes.prefix(40)
        #expect(try decode(icon, to: 20).level == 9)
        icon.entries[1].start = 1 << 30
        (icon.entries[1].width, icon.entries[1].height) = (32, 32)
        #expect(try decode(icon, to: 20).level == 9)
    }

    @Test func `a smaller image of other proportions or fewer bits is not used`() throws {
        var icon = try icon([(64, 9), (32, 2)])
        let wide = TestImages.photograph(PixelSize(width: 40, height: 32), format: .rgba8)
        icon.entries[1].bytes = try ICOEncoder().encode(wide).dropFirst(22)
        #expect(try decode(icon, to: 20).level == 9)
        let gray = TestImages.photograph(PixelSize(width: 32, height: 32), format: .gray8)
        icon.entries[1].bytes = try PNGEncoder().encode(gray)
        #expect(try decode(icon, to: 20).level == 9)
    }
}
