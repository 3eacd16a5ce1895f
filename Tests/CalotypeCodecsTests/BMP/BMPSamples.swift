import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials

/// Bitmaps and icons of variants that the encoders here do not write, for the conformance suite.
enum BMPSamples {
    private static let palette = (0..<16).map { ($0 * 16, 255 - $0 * 9, $0 * $0) }

    private static func noise(_ byteCount: Int) -> Data {
        var random = SeededGenerator(seed: 5)
        return Data((0..<byteCount).map { _ in UInt8.random(in: UInt8.min...UInt8.max, using: &random) })
    }

    private static func sample(_ name: String, _ parts: BMPParts, _ spared: Int = 3)
        -> CodecConformance.Sample
    {
        CodecConformance.Sample(name, parts.file, expendableByteCount: spared)
    }

    private static func bitmap(_ bits: Int, header: Int = 40, compression: Int = 0, _ pixels: Data)
        -> BMPParts
    {
        var parts = BMPParts(
            width: 21,
            height: 17,
            bitsPerPixel: bits,
            compression: compression,
            pixels: pixels
        )
        parts.headerByteCount = header
        if bits <= 8 { parts.palette = Array(palette.prefix(1 << bits)) }
        return parts
    }

    /// Rows of 21 pixels in two runs and three literal pixels, each with its end mark.
    private static func runs(nibbles: Bool) -> Data {
        let row: [UInt8] =
            nibbles ? [9, 0x12, 9, 0x34, 0, 3, 0x56, 0x70, 0, 0] : [9, 1, 9, 2, 0, 3, 3, 4, 5, 0, 0, 0]
        return Data(Array(repeatElement(row, count: 17).joined()) + [0, 1])
    }

    private static func masked(_ bits: Int, header: Int, _ masks: [Int], topDown: Bool = false) -> BMPParts {
        var parts = bitmap(bits, header: header, compression: 3, noise(17 * (bits == 16 ? 44 : 84)))
        parts.masks = masks
        if topDown { parts.height = -parts.height }
        return parts
    }

    static func bitmaps() throws -> [CodecConformance.Sample] {
        let inner = TestImages.photograph(PixelSize(width: 21, height: 17))
        let jpeg = try JPEGEncoder().encode(inner)
        let png = try PNGEncoder().encode(inner)
        return [
            sample("1 bit, OS/2", bitmap(1, header: 12, noise(17 * 4))),
            sample("2 bits", bitmap(2, noise(17 * 8))),
            sample("4 bits, OS/2 version 2", bitmap(4, header: 64, noise(17 * 12))),
            sample("RLE8", bitmap(8, compression: 1, runs(nibbles: false)), 5),
            sample("RLE4", bitmap(4, compression: 2, runs(nibbles: true)), 4),
            sample("5-5-5", bitmap(16, noise(17 * 44))),
            sample("5-6-5, from the top", masked(16, header: 40, [0xF800, 0x7E0, 0x1F], topDown: true)),
            sample("4-4-4-4", masked(16, header: 56, [0xF00, 0xF0, 0xF, 0xF000])),
            sample("10-10-10-2", masked(32, header: 124, [0x3FF0_0000, 0xFFC00, 0x3FF, 0xC000_0000]), 0),
            sample("JPEG inside", bitmap(0, compression: 4, jpeg), 0),
            sample("PNG inside", bitmap(0, compression: 5, png), 0),
        ]
    }

    static func icons() throws -> [CodecConformance.Sample] {
        let png = try PNGEncoder().encode(
            TestImages.photograph(PixelSize(width: 40, height: 30), format: .rgba8)
        )
        let mask = noise(17 * 4)
        let images = [
            ("24 bits", bitmap(24, noise(17 * 64) + mask)), ("4 bits", bitmap(4, noise(17 * 12) + mask)),
            ("32 bits", bitmap(32, noise(17 * 84) + mask)),
            ("32 bits, masked", bitmap(32, Data(count: 17 * 84) + mask)),
        ]
        let bitmaps = images.map { name, parts in
            var parts = parts
            parts.height = 34
            // The padding of the last mask row; with alpha no mask is needed.
            return CodecConformance.Sample(name, IconParts([parts.bitmap]).data, expendableByteCount: 1)
        }
        return bitmaps + [
            CodecConformance.Sample("PNG", IconParts([bitmap(24, noise(17 * 64)).bitmap, png]).data)
        ]
    }
}
