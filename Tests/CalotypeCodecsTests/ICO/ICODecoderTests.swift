import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct ICODecoderTests {
    private func decode(_ parts: IconParts) throws -> Image {
        let image = try ICODecoder().tested.decode(parts.data, options: DecodeOptions())
        let info = try ICODecoder().tested.info(of: parts.data, limits: DecodeLimits())
        #expect(info.size == image.size && info.pixelFormat == image.pixelFormat)
        #expect(info.format == .ico && image.format == .ico && info.frameCount == 1)
        return image
    }

    private func code(_ data: Data, by ico: any ImageDecoder = ICODecoder().tested) -> DecodeError.Code? {
        decodeError { try ico.decode(data, options: DecodeOptions()) }?.code
    }

    /// A bitmap of 2 × 2 pixels with the lower left one transparent by the mask.
    private func bitmap(bits: Int, _ rows: [[UInt8]]) -> BMPParts {
        BMPParts(
            width: 2,
            height: 4,
            bitsPerPixel: bits,
            pixels: BMPParts.rows(rows) + BMPParts.rows([[0x80], [0]])
        )
    }

    private func png(_ width: Int, _ height: Int) throws -> Data {
        try PNGEncoder().tested.encode(TestImages.photograph(PixelSize(width: width, height: height)))
    }

    @Test func `a mask makes pixels transparent`() throws {
        let image = try decode(
            IconParts([bitmap(bits: 24, [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]).bitmap])
        )
        #expect(image.bytes == [9, 8, 7, 255, 12, 11, 10, 255, 3, 2, 1, 0, 6, 5, 4, 255])
    }

    @Test func `a paletted image has a mask too`() throws {
        var parts = bitmap(bits: 4, [[0x01], [0x10]])
        parts.palette = [(10, 20, 30), (40, 50, 60)]
        let bytes = try decode(IconParts([parts.bitmap])).bytes
        #expect(bytes == [40, 50, 60, 255, 10, 20, 30, 255, 10, 20, 30, 0, 40, 50, 60, 255])
    }

    @Test func `alpha takes precedence over the mask unless all of it is zero`() throws {
        var parts = bitmap(bits: 32, [[1, 2, 3, 99, 4, 5, 6, 0], [7, 8, 9, 255, 1, 1, 1, 1]])
        #expect(
            try decode(IconParts([parts.bitmap])).bytes
                == [9, 8, 7, 255, 1, 1, 1, 1, 3, 2, 1, 99, 6, 5, 4, 0]
        )
        // With alpha the mask may be missing.
        parts.pixels = parts.pixels.prefix(16)
        #expect(try decode(IconParts([parts.bitmap])).bytes[11] == 99)
        parts = bitmap(bits: 32, [[1, 2, 3, 0, 4, 5, 6, 0], [7, 8, 9, 0, 1, 1, 1, 0]])
        #expect(
            try decode(IconParts([parts.bitmap])).bytes
                == [9, 8, 7, 255, 1, 1, 1, 255, 3, 2, 1, 0, 6, 5, 4, 255]
        )
        parts.pixels = parts.pixels.prefix(16)
        #expect(code(IconParts([parts.bitmap]).data) == .truncated)
    }

    @Test func `the largest image is decoded, and of equal ones the deepest`() throws {
        var images = IconParts([try png(20, 20), try png(40, 30), try png(30, 30)])
        #expect(try decode(images).size == PixelSize(width: 40, height: 30))
        let shallow = bitmap(bits: 24, [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]])
        let deep = bitmap(bits: 32, [[2, 2, 2, 2, 2, 2, 2, 2], [2, 2, 2, 2, 2, 2, 2, 2]])
        for order in [[shallow, deep], [deep, shallow]] {
            images = IconParts(order.map(\.bitmap))
            #expect(try decode(images).bytes[0] == 2)
        }
    }

    @Test func `a cursor is read as an icon`() throws {
        var parts = IconParts([try png(9, 8)])
        parts.kind = 2
        #expect(try decode(parts).size == PixelSize(width: 9, height: 8))
        #expect(try CodecRegistry.tested.decode(parts.data).format == .ico)
    }

    @Test func `an embedded PNG retains its pixels, and its errors name the icon`() throws {
        let inner = try png(30, 20)
        #expect(
            try decode(IconParts([inner])).bytes
                == PNGDecoder().tested.decode(inner, options: DecodeOptions()).bytes
        )
        let error = decodeError {
            try ICODecoder().tested.decode(IconParts([inner.prefix(100)]).data, options: DecodeOptions())
        }
        #expect(error?.code == .truncated && error?.format == .ico)
    }

    @Test func `an image within the directory is corrupt, and one beyond the end truncated`() throws {
        var parts = IconParts([try png(9, 8)])
        for start in [0, 6, 21] {
            parts.entries[0].start = start
            // In process only: unrecognised data is not sent to workers.
            #expect(code(parts.data, by: ICODecoder()) == .corrupt)
        }
        for start in [23, 1_000, 0xFFFF_FFFF] {
            parts.entries[0].start = start
            #expect(code(parts.data) == .truncated)
        }
        parts.entries[0].start = nil
        parts.entries[0].byteCount = 0xFFFF_FFFF
        #expect(code(parts.data) == .truncated)
    }

    @Test func `an icon within an icon is not followed`() throws {
        let inner = IconParts([try png(9, 8)]).data
        #expect(code(IconParts([inner]).data) == .corrupt)
    }

    @Test func `65,536 images are refused`() throws {
        let image = try png(9, 8)
        var parts = IconParts([])
        parts.entries = Array(
            repeating: IconParts.Entry(bytes: Data(), byteCount: image.count),
            count: 65_535
        )
        let data = parts.data + image
        // In process only: unrecognised data is not sent to workers.
        #expect(code(data, by: ICODecoder()) == .limitExceeded)
        #expect(
            [.limitExceeded, .unrecognizedFormat].contains(
                decodeError { try CodecRegistry.tested.decode(data) }?.code
            )
        )
    }

    @Test func `an embedded PNG with an excessive size is refused`() throws {
        let bomb = try LimitTests.png(width: 65_535, height: 65_535)
        let data = IconParts([bomb]).data
        #expect(code(data) == .limitExceeded)
        #expect(
            decodeError { try ICODecoder().tested.info(of: data, limits: DecodeLimits()) }?.code
                == .limitExceeded
        )
    }

    @Test(arguments: [1, 4, 5])
    func `compressions invalid in icons are unsupported`(compression: Int) {
        var parts = bitmap(bits: 8, [[0, 0], [0, 0]])
        (parts.compression, parts.palette) = (compression, [(0, 0, 0)])
        #expect(code(IconParts([parts.bitmap]).data) == .unsupportedFeature)
    }
}
