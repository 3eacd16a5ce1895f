import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct BMPDecoderTests {
    private func decode(_ parts: BMPParts) throws -> Image {
        let data = parts.file
        let image = try BMPDecoder().tested.decode(data, options: DecodeOptions())
        let info = try BMPDecoder().tested.info(of: data, limits: DecodeLimits())
        #expect(info.size == image.size && info.pixelFormat == image.pixelFormat)
        #expect(image.format == .bmp && info.format == .bmp)
        #expect(info.hasAlpha == (image.pixelFormat == .rgba8))
        return image
    }

    private func code(_ data: Data) -> DecodeError.Code? {
        decodeError { try BMPDecoder().tested.decode(data, options: DecodeOptions()) }?.code
    }

    /// Red, green, blue.
    static let colors = [(200, 10, 20), (30, 210, 40), (50, 60, 220)]

    /// Two rows of three 24-bit pixels, the lower one first.
    static let plain = BMPParts(
        width: 3,
        height: 2,
        bitsPerPixel: 24,
        pixels: BMPParts.rows([[1, 2, 3, 4, 5, 6, 7, 8, 9], [11, 12, 13, 14, 15, 16, 17, 18, 19]])
    )

    @Test(arguments: [12, 16, 40, 52, 56, 64, 108, 124])
    func `every version of the header gives the same rows`(headerByteCount: Int) throws {
        var parts = Self.plain
        parts.headerByteCount = headerByteCount
        let image = try decode(parts)
        #expect(image.size == PixelSize(width: 3, height: 2) && image.pixelFormat == .rgb8)
        #expect(image.bytes == [13, 12, 11, 16, 15, 14, 19, 18, 17, 3, 2, 1, 6, 5, 4, 9, 8, 7])
    }

    @Test func `a negative height puts the first row on top`() throws {
        var parts = Self.plain
        parts.height = -2
        #expect(try decode(parts).bytes.prefix(3) == [3, 2, 1])
    }

    @Test func `the padding of the last row may be missing, its pixels may not`() throws {
        var parts = Self.plain
        parts.pixels = parts.pixels.dropLast(3)
        #expect(try decode(parts).bytes.count == 18)
        parts.pixels = parts.pixels.dropLast(1)
        #expect(code(parts.file) == .truncated)
    }

    @Test(arguments: [(1, [0b0110_0000]), (2, [0b0001_1000]), (4, [0x01, 0x20]), (8, [0, 1, 2])])
    func `indices are read from the highest bit`(bits: Int, row: [UInt8]) throws {
        var parts = Self.plain
        (parts.height, parts.bitsPerPixel, parts.pixels) = (1, bits, BMPParts.rows([row]))
        parts.palette = Self.colors
        for header in [12, 40, 124] {
            parts.headerByteCount = header
            let expected: [UInt8] =
                bits == 1
                ? [200, 10, 20, 30, 210, 40, 30, 210, 40] : [200, 10, 20, 30, 210, 40, 50, 60, 220]
            #expect(try decode(parts).bytes == expected)
        }
    }

    @Test func `a gray palette gives gray`() throws {
        var parts = BMPParts(width: 2, height: 1, bitsPerPixel: 8, pixels: BMPParts.rows([[1, 0]]))
        parts.palette = [(7, 7, 7), (9, 9, 9)]
        let image = try decode(parts)
        #expect(image.pixelFormat == .gray8 && image.bytes == [9, 7])
    }

    @Test func `an index beyond the palette is black`() throws {
        var parts = BMPParts(width: 2, height: 1, bitsPerPixel: 8, pixels: BMPParts.rows([[2, 3]]))
        parts.palette = Self.colors
        #expect(try decode(parts).bytes == [50, 60, 220, 0, 0, 0])
    }

    @Test func `a palette ends at the first pixel`() throws {
        var parts = BMPParts(width: 2, height: 1, bitsPerPixel: 8, pixels: BMPParts.rows([[2, 1]]))
        parts.palette = Self.colors
        for stated in [0, 256] {
            parts.statedColorCount = stated
            #expect(try decode(parts).bytes == [50, 60, 220, 30, 210, 40])
        }
        parts.palette = []
        #expect(code(parts.file) == .corrupt)
    }

    @Test(arguments: [1, 256, 257, 1 << 24, 0xFFFF_FFFF])
    func `the stated colour count is ignored for direct pixels`(stated: Int) throws {
        var parts = Self.plain
        let expected = try decode(parts).bytes
        parts.statedColorCount = stated
        #expect(try decode(parts).bytes == expected)
    }

    @Test(arguments: [1, 8]) func `more colours than the file can contain are corrupt`(bits: Int) throws {
        var parts = BMPParts(
            width: 2,
            height: 1,
            bitsPerPixel: bits,
            pixels: BMPParts.rows([[1, 1, 1, 1, 1, 1]])
        )
        parts.palette = Self.colors
        for stated in [257, 300, 1_670_000_000, 0xFFFF_FFFF] {
            parts.statedColorCount = stated
            #expect(code(parts.file) == .corrupt)
        }
        parts.palette = Array(repeating: (9, 9, 9), count: 300)
        parts.statedColorCount = 300
        #expect(code(parts.file) == nil)
    }

    @Test func `sixteen bits without masks have five bits per channel`() throws {
        // White, red, and half of each: 16 of 31 rounds to 132 of 255.
        let row: [UInt8] = [0xFF, 0x7F, 0x00, 0x7C, 0x10, 0x42]
        let parts = BMPParts(width: 3, height: 1, bitsPerPixel: 16, pixels: BMPParts.rows([row]))
        #expect(try decode(parts).bytes == [255, 255, 255, 255, 0, 0, 132, 132, 132])
    }

    @Test(arguments: [40, 52, 56, 108, 124])
    func `masks of any position and width are scaled with rounding`(headerByteCount: Int) throws {
        var parts = BMPParts(width: 1, height: 1, bitsPerPixel: 16, compression: 3, pixels: Data())
        parts.headerByteCount = headerByteCount
        parts.masks = [0xF800, 0x07E0, 0x001F]
        for (pixel, expected) in [
            (0xFFFF, [255, 255, 255]), (0x8410, [132, 130, 132]), (0x0821, [8, 4, 8]),
        ] {
            parts.pixels = littleEndian(pixel)
            #expect(try decode(parts).bytes == expected.map { UInt8($0) })
        }
        (parts.bitsPerPixel, parts.masks) = (32, [0xFFF0_0000, 0x000F_FC00, 0])
        parts.pixels = littleEndian(0x8014_03FF)
        #expect(try decode(parts).bytes == [128, 64, 0])
    }

    @Test(arguments: [56, 108, 124])
    func `an alpha mask gives alpha, even if every pixel is transparent`(headerByteCount: Int) throws {
        var parts = BMPParts(width: 2, height: 1, bitsPerPixel: 32, compression: 3, pixels: Data())
        parts.headerByteCount = headerByteCount
        parts.masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
        parts.pixels = Data([3, 2, 1, 128, 6, 5, 4, 0])
        #expect(try decode(parts).bytes == [1, 2, 3, 128, 4, 5, 6, 0])
        parts.pixels = Data([3, 2, 1, 0, 6, 5, 4, 0])
        #expect(try decode(parts).bytes == [1, 2, 3, 0, 4, 5, 6, 0])
    }

    @Test func `four masks after the header include alpha`() throws {
        var parts = BMPParts(width: 1, height: 1, bitsPerPixel: 16, compression: 6, pixels: Data())
        parts.masks = [0x0F00, 0x00F0, 0x000F, 0xF000]
        parts.pixels = littleEndian(0x8421)
        #expect(try decode(parts).bytes == [68, 34, 17, 136])
    }

    @Test func `the fourth byte is alpha if a mask says so and not all are zero`() throws {
        var parts = BMPParts(width: 2, height: 1, bitsPerPixel: 32, pixels: Data([3, 2, 1, 7, 6, 5, 4, 0]))
        #expect(try decode(parts).bytes == [1, 2, 3, 4, 5, 6])
        parts.headerByteCount = 108
        parts.masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
        #expect(try decode(parts).bytes == [1, 2, 3, 7, 4, 5, 6, 0])
        parts.pixels[3] = 0
        #expect(try decode(parts).bytes == [1, 2, 3, 255, 4, 5, 6, 255])
    }

    @Test func `masks with separated bits are corrupt`() {
        var parts = BMPParts(width: 1, height: 1, bitsPerPixel: 16, compression: 3, pixels: Data(count: 4))
        parts.masks = [0xF100, 0x07E0, 0x001F]
        #expect(code(parts.file) == .corrupt)
    }

    @Test(arguments: [(4, JPEGEncoder() as any ImageEncoder), (5, PNGEncoder())])
    func `an embedded file of another format is decoded`(compression: Int, encoder: any ImageEncoder)
        throws
    {
        let inner = try encoder.encode(TestImages.photograph(PixelSize(width: 20, height: 10)))
        var parts = BMPParts(width: 20, height: 10, bitsPerPixel: 0, compression: compression, pixels: inner)
        let image = try decode(parts)
        #expect(image.bytes == (try CodecRegistry.tested.decode(inner).bytes))
        parts.pixels = inner.prefix(inner.count / 2)
        let error = decodeError { try BMPDecoder().tested.decode(parts.file, options: DecodeOptions()) }
        #expect(error?.code == .truncated && error?.format == .bmp)
        parts.pixels = Data()
        #expect(code(parts.file) == .truncated)
    }

    @Test func `a known but unsupported variant is an unsupported feature`() {
        var parts = Self.plain
        for (header, compression) in [(40, 11), (64, 3), (64, 4), (16, 0)] where header != 16 {
            (parts.headerByteCount, parts.compression) = (header, compression)
            #expect(code(parts.file) == .unsupportedFeature)
        }
        (parts.headerByteCount, parts.compression, parts.bitsPerPixel) = (40, 0, 64)
        #expect(code(parts.file) == .unsupportedFeature)
    }

    @Test(arguments: [(0, 0), (3, 0), (5, 0), (24, 1), (8, 2), (24, 3), (33, 0)])
    func `a depth that the compression does not have is corrupt`(bits: Int, compression: Int) {
        var parts = Self.plain
        (parts.bitsPerPixel, parts.compression, parts.palette) = (bits, compression, Self.colors)
        #expect(code(parts.file) == .corrupt)
    }

    @Test func `pixels that start in the header are corrupt and those beyond the end truncated`() {
        var parts = Self.plain
        for (start, expected) in [(20, DecodeError.Code.corrupt), (1 << 31, .truncated), (90, .truncated)] {
            parts.pixelStart = start
            #expect(code(parts.file) == expected)
        }
        parts.pixelStart = 0
        #expect(code(parts.file) == nil)
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `the profile of version 5 is converted`() throws {
        let file = try #require(SharedCorpus.files.first { $0.path == "jpeg/Nuke-image-p3.jpg" })
        var parts = Self.plain
        parts.headerByteCount = 124
        parts.pixels = BMPParts.rows([[0, 0, 200, 0, 200, 0, 200, 0, 0], [10, 20, 250, 0, 0, 0, 9, 9, 9]])
        parts.profile = try iccProfile(ofJPEG: file.bytes())
        let converted = try decode(parts)
        #expect(converted.metadata.hasColorProfile)
        let stored = try BMPDecoder().tested.decode(parts.file, options: DecodeOptions(convertsToSRGB: false))
        #expect(stored.bytes.prefix(3) == [250, 20, 10])
        #expect(converted.bytes != stored.bytes)
        var cut = parts.file
        cut.removeLast()
        #expect(try BMPDecoder().tested.decode(cut, options: DecodeOptions()).bytes == stored.bytes)
    }

    /// The profile in the only APP2 segment.
    private func iccProfile(ofJPEG file: Data) throws -> Data {
        let mark = Data("ICC_PROFILE\0".utf8)
        let range = try #require(file.firstRange(of: mark))
        let count = file[range.lowerBound - 2..<range.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        return Data(file[range.upperBound + 2..<range.lowerBound - 2 + count])
    }
}
