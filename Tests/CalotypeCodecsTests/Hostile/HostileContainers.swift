import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import WorkerSupport

enum HostileJPEG {
    private static let small = TestImages.photograph(PixelSize(width: 32, height: 32))

    /// A small file that claims another size.
    static func sized(_ width: Int, _ height: Int) throws -> Data {
        var file = try JPEGEncoder().tested.encode(small)
        // SOF0: marker, two bytes of length, the depth, height and width.
        guard let frame = file.firstRange(of: Data([0xFF, 0xC0])) else {
            preconditionFailure("a JPEG without a frame")
        }
        let sides = bigEndian16(height) + bigEndian16(width)
        file.replaceSubrange(frame.upperBound + 3..<frame.upperBound + 7, with: sides)
        return file
    }

    /// A valid gray image in 506 scans, each over all blocks: two for the mean of a block, eight for each of
    /// the 63 other coefficients, all of them 0.
    static func scans(side: Int) -> Data {
        let blockCount = (side + 7) / 8 * ((side + 7) / 8)
        let quantization = segment(0xDB, Data([0] + [UInt8](repeating: 1, count: 64)))
        let frame = segment(0xC2, Data([8]) + bigEndian16(side) + bigEndian16(side) + Data([1, 1, 0x11, 0]))
        // One symbol each with the code 0: no difference, and runs of 2¹⁴ and more blocks without a value.
        let counts = Data([1] + [UInt8](repeating: 0, count: 15))
        let tables = segment(0xC4, Data([0]) + counts + Data([0]) + Data([0x10]) + counts + Data([0xE0]))
        // One bit per block; and 15 bits for 16,384 + 5,461 blocks, eight times in 15 bytes.
        let means = Data(count: (blockCount + 7) / 8)
        let runs = bytes(ofBits: "001010101010101", (blockCount + 21_844) / 21_845)
        var file = Data([0xFF, 0xD8]) + quantization + frame + tables
        for bit in stride(from: 1, through: 0, by: -1) { file += scan(0...0, from: 2, to: bit) + means }
        for coefficient in 1...63 {
            for bit in stride(from: 7, through: 0, by: -1) {
                file += scan(coefficient...coefficient, from: 8, to: bit) + runs
            }
        }
        return file + Data([0xFF, 0xD9])
    }

    /// The header of a scan that refines some coefficients by one bit; the first scan of a coefficient has a
    /// last bit of 0.
    private static func scan(_ range: ClosedRange<Int>, from first: Int, to bit: Int) -> Data {
        let last = bit + 1 == first ? 0 : bit + 1
        let span = [UInt8(range.lowerBound), UInt8(range.upperBound), UInt8(last << 4 | bit)]
        return segment(0xDA, Data([1, 1, 0] + span))
    }

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        Data([0xFF, marker]) + bigEndian16(payload.count + 2) + payload
    }

    /// A repeated bit pattern, highest bit first, padded with ones.
    private static func bytes(ofBits pattern: String, _ count: Int) -> Data {
        let bits = Array(String(repeating: pattern, count: count).utf8)
        return Data(
            stride(from: 0, to: bits.count, by: 8).map { start in
                (start..<start + 8).reduce(UInt8(0)) { byte, index in
                    byte << 1 | (index < bits.count ? bits[index] - 0x30 : 1)
                }
            }
        )
    }

    /// 200 kB of noise as the entropy-coded data of a large image.
    @Sendable static func noise() throws -> Data {
        let file = try sized(10_000, 10_000)
        guard let scan = file.firstRange(of: Data([0xFF, 0xDA])) else {
            preconditionFailure("a JPEG without a scan")
        }
        var random = SeededGenerator(seed: 3)
        // Without 0xFF, so that no marker ends it early.
        let noise = (0..<200_000).map { _ in UInt8.random(in: 0..<0xFF, using: &random) }
        return file[..<(scan.upperBound + 12)] + Data(noise) + Data([0xFF, 0xD9])
    }
}

/// Bitmaps, icons and a TIFF with excessive claims.
enum HostileBitmap {
    static func parts(_ width: Int, _ height: Int) -> BMPParts {
        BMPParts(width: width, height: height, bitsPerPixel: 24, pixels: Data(count: 16))
    }

    static func sized(_ width: Int, _ height: Int) -> Data { parts(width, height).file }

    /// Run lengths that skip 100 megapixels and draw nothing.
    @Sendable static func moves() -> Data {
        var parts = parts(10_000, 10_000)
        (parts.bitsPerPixel, parts.compression, parts.palette) = (8, 1, [(0, 0, 0), (200, 100, 0)])
        parts.pixels = (0..<100_000).reduce(into: Data()) { runs, _ in runs += [0, 2, 255, 0] }
        return parts.file
    }

    /// Run lengths that end before the first pixel.
    @Sendable static func blank() -> Data { runLengths(side: 10_000, Data([0, 1])) }

    /// Run lengths that fill a square with the second colour.
    static func full(side: Int) -> Data {
        let row = Data(Array(repeating: [255, 1], count: (side + 254) / 255).joined() + [0, 0])
        return runLengths(side: side, (0..<side).reduce(into: Data()) { runs, _ in runs += row })
    }

    private static func runLengths(side: Int, _ runs: Data) -> Data {
        var parts = parts(side, side)
        (parts.bitsPerPixel, parts.compression, parts.palette) = (8, 1, [(0, 0, 0), (200, 100, 0)])
        parts.pixels = runs
        return parts.file
    }

    /// A palette that claims 256 colours and has two.
    @Sendable static func palette() -> Data {
        var parts = parts(10_000, 10_000)
        (parts.bitsPerPixel, parts.palette, parts.pixels) = (8, [(0, 0, 0), (1, 1, 1)], Data())
        (parts.statedColorCount, parts.pixelStart) = (0, 1_078)
        return parts.file
    }

    /// The maximum number of images, all with the same bytes.
    @Sendable static func icon() throws -> Data {
        let image = try PNGEncoder().tested.encode(TestImages.photograph(PixelSize(width: 16, height: 16)))
        var parts = IconParts([])
        let start = 6 + 16 * 1_024
        let entry = IconParts.Entry(bytes: Data(), start: start, byteCount: image.count)
        parts.entries = Array(repeating: entry, count: 1_024)
        return parts.data + image
    }

    /// A missing strip of uncompressed 8-bit gray.
    @Sendable static func tiff() -> Data {
        let tags = [
            (256, 65_535), (257, 65_535), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 65_535),
            (279, 16),
        ]
        let entries = tags.map {
            littleEndian($0.0, 2) + littleEndian(4, 2) + littleEndian(1) + littleEndian($0.1)
        }
        return Data([0x49, 0x49, 42, 0]) + littleEndian(8) + littleEndian(tags.count, 2)
            + entries.reduce(Data(), +) + littleEndian(0)
    }
}

/// GIF files with a canvas and frames of any size and number.
enum HostileGIF {
    /// Each frame draws one pixel, whatever side it claims.
    static func data(width: Int, height: Int, frameCount: Int, frameSide: Int = 1) -> Data {
        let sides = littleEndian(width, 2) + littleEndian(height, 2)
        let header = Data("GIF89a".utf8) + sides + Data([0x80, 0, 0, 0, 0, 0, 255, 255, 255])
        let control = Data([0x21, 0xF9, 4, 0, 10, 0, 0, 0])
        let side = littleEndian(frameSide, 2)
        // Three-bit codes: clear, colour 1, end.
        let image = Data([0x2C, 0, 0, 0, 0]) + side + side + Data([0, 2, 2, 0x4C, 1, 0])
        var data = header
        data.reserveCapacity(header.count + frameCount * (control.count + image.count) + 1)
        for _ in 0..<frameCount { data += control + image }
        return data + Data([0x3B])
    }
}

/// Files of boxes and chunks with excessive claims.
enum HostileContainer {
    /// A lossless image of the maximum sides in one colour, in 34 bytes.
    @Sendable static func webP() -> Data {
        // The signature, both sides minus one in 14 bits each, no alpha, version 0; then five simple codes.
        let sides = 16_382 | 16_382 << 14
        let stream = Data([0x2F]) + littleEndian(sides) + Data([0x88, 0x88, 0x08, 0, 0, 0, 0, 0, 0])
        return riff(chunk("VP8L", stream))
    }

    @Sendable static func webPCanvas() -> Data {
        riff(chunk("VP8X", Data([0x10, 0, 0, 0, 255, 255, 255, 255, 255, 255])))
    }

    private static func chunk(_ type: String, _ payload: Data) -> Data {
        Data(type.utf8) + littleEndian(payload.count) + payload + Data(count: payload.count % 2)
    }

    private static func riff(_ chunks: Data) -> Data {
        Data("RIFF".utf8) + littleEndian(chunks.count + 4) + Data("WEBP".utf8) + chunks
    }

    /// One coded item of 65,535 × 65,535 pixels (ISO/IEC 14496-12, 23008-12) filled with zeros.
    static func heif(brand: String, item: String, configuration: String) -> Data {
        let file = box("ftyp", Data(brand.utf8) + bigEndian32(0) + Data("mif1".utf8) + Data(brand.utf8))
        let handler = fullBox("hdlr", bigEndian32(0) + Data("pict".utf8) + Data(count: 13))
        let information = fullBox(
            "iinf",
            bigEndian16(1)
                + fullBox("infe", bigEndian16(1) + bigEndian16(0) + Data(item.utf8) + Data([0]), version: 2)
        )
        let size = fullBox("ispe", bigEndian32(65_535) + bigEndian32(65_535))
        let setup = Data([0x81, 0x1F, 0x0C, 0]) + Data(count: configuration == "hvcC" ? 19 : 0)
        let properties = box(
            "iprp",
            box("ipco", size + box(configuration, setup))
                + fullBox("ipma", bigEndian32(1) + bigEndian16(1) + Data([2, 1, 0x82]))
        )
        func meta(_ start: Int) -> Data {
            let place = bigEndian16(0x4400) + bigEndian16(1) + bigEndian16(1) + bigEndian16(0)
            let location = fullBox("iloc", place + bigEndian16(1) + bigEndian32(start) + bigEndian32(64))
            return fullBox(
                "meta",
                handler + fullBox("pitm", bigEndian16(1)) + location + information + properties
            )
        }
        let start = file.count + meta(0).count + 8
        return file + meta(start) + box("mdat", Data(count: 64))
    }

    private static func box(_ type: String, _ payload: Data) -> Data {
        bigEndian32(payload.count + 8) + Data(type.utf8) + payload
    }

    private static func fullBox(_ type: String, _ payload: Data, version: Int = 0) -> Data {
        box(type, bigEndian32(version << 24) + payload)
    }

    /// A codestream with an 18-bit height and an equal width, and default metadata.
    @Sendable static func jpegXL() -> Data {
        // Not small; 18 bits (selector 2); height minus one; ratio 1; default metadata; zeros.
        let bits = 2 << 1 | 65_535 << 3 | 1 << 21 | 1 << 24
        return Data([0xFF, 0x0A]) + littleEndian(bits) + Data(count: 60)
    }
}
