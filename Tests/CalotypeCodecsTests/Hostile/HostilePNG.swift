import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import WorkerSupport

/// PNG files that inflate to excessive sizes.
enum HostilePNG {
    /// A valid file of 900 megapixels.
    @Sendable static func large() -> Data { black(30_000, 30_000) }

    /// A valid 1-bit file, all black.
    static func black(_ width: Int, _ height: Int) -> Data {
        let header = bigEndian32(width) + bigEndian32(height) + Data([1, 0, 0, 0, 0])
        return PNGParts.signature + chunk("IHDR", header)
            + chunk("IDAT", Inflating.zeros(height * (1 + (width + 7) / 8))) + chunk("IEND", Data())
    }

    /// 8 × 8 gray pixels, followed by 200 MB.
    @Sendable static func endlessPixels() -> Data {
        PNGParts.signature + small + chunk("IDAT", Inflating.zeros(200_000_000)) + chunk("IEND", Data())
    }

    /// 8 × 8 gray pixels, and a chunk with 200 MB.
    static func inflating(_ type: String, _ head: Data) throws -> Data {
        PNGParts.signature + small + chunk(type, head + Inflating.zeros(200_000_000))
            + chunk("IDAT", Inflating.zeros(8 * 9)) + chunk("IEND", Data())
    }

    @Sendable static func frames() -> Data {
        PNGParts.signature + small + chunk("acTL", bigEndian32(0xFFFF_FFFF) + bigEndian32(0))
            + chunk("IDAT", Inflating.zeros(8 * 9)) + chunk("IEND", Data())
    }

    /// An animation with more frames than allowed, with all of their chunks.
    @Sendable static func frameControls() -> Data {
        let control = chunk("fcTL", bigEndian32(0) + bigEndian32(8) + bigEndian32(8) + Data(count: 14))
        var data = PNGParts.signature + small + chunk("acTL", bigEndian32(10_001) + bigEndian32(0))
        for _ in 0..<300_000 { data += control }
        return data + chunk("IDAT", Inflating.zeros(8 * 9)) + chunk("IEND", Data())
    }

    /// 4 × 4 pixels, and a profile of equal steps.
    @Sendable static func profile() throws -> Data {
        let profile = ProfileFile(tags: [("D2B0", ProfileFile.steps(100_000))], version: 0x0430_0000)
        let size = PixelSize(width: 4, height: 4)
        var parts = PNGParts(try PNGEncoder().tested.encode(TestImages.photograph(size, format: .rgb8)))
        parts.insert("iCCP", Data("x\0\0".utf8) + Inflating.stored(profile.data), before: "IDAT")
        return parts.data
    }

    private static let small = chunk("IHDR", bigEndian32(8) + bigEndian32(8) + Data([8, 0, 0, 0, 0]))

    private static func chunk(_ type: String, _ payload: Data) -> Data {
        let body = Data(type.utf8) + payload
        return bigEndian32(payload.count) + body + bigEndian32(Int(crc32(body)))
    }

    /// PNG third edition, annex D, with a table, since the chunks here are large.
    private static func crc32(_ bytes: Data) -> UInt32 {
        var sum = UInt32.max
        bytes.withUnsafeBytes { bytes in
            for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
        }
        return ~sum
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
}

/// Small deflate streams that inflate to excessive sizes (RFC 1950, RFC 1951).
enum Inflating {
    /// A zlib stream of `byteCount` zeros.
    ///
    /// A few zeros as a stored block, then copies of 258 bytes at distance 1, each of 13 bits in the fixed
    /// code: eight copies are 13 bytes, which repeat.
    static func zeros(_ byteCount: Int) -> Data {
        let (periodCount, rest) = (byteCount - 1).quotientAndRemainder(dividingBy: 8 * 258)
        let (stored, inverse) = (littleEndian(rest + 1, 2), littleEndian(~(rest + 1), 2))
        var data = Data([0x78, 0x9C, 0]) + stored + inverse + Data(count: rest + 1)
        // The last block, with the fixed code. Length 258 is 11000101 and distance 1 is 00000, highest bit
        // first.
        let copy: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
        let bytes = packed([1, 1, 0] + Array(repeatElement(copy, count: 9).joined()))
        data.append(bytes[0])
        let period = Data(bytes[1...13])
        for _ in 0..<periodCount { data.append(period) }
        // The data ends with five excess bits of a copy, where the end code of seven zeros begins.
        data[data.endIndex - 1] &= 0b111
        data.append(0)
        return data + bigEndian32((byteCount % 65_521) << 16 | 1)
    }

    /// A zlib stream of stored bytes.
    static func stored(_ bytes: Data) -> Data {
        var stream = Data([0x78, 0x01])
        var rest = bytes[...]
        while !rest.isEmpty {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            stream +=
                Data([rest.isEmpty ? 1 : 0]) + littleEndian16(block.count)
                + littleEndian16(65_535 - block.count) + block
        }
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + bigEndian16(high) + bigEndian16(low)
    }

    /// Packs bits into bytes, lowest bit first.
    private static func packed(_ bits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            let byte = bits[start..<min(start + 8, bits.count)].enumerated()
            return byte.reduce(0) { $0 | $1.element << UInt8($1.offset) }
        }
    }
}
