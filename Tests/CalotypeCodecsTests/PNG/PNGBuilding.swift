import CalotypeTesting
import FoundationEssentials

/// PNG files with given rows and chunks.
struct PNGBuilding {
    enum Color: Int, CaseIterable {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        var channelCount: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }
    }

    var width = 17
    var height = 23
    var color = Color.rgb
    var depth = 8
    var isInterlaced = false
    /// The number of palette entries, if there is a palette.
    var paletteCount = 256
    /// The contents of tRNS; no chunk if empty.
    var transparency = Data()
    /// The bytes per pixel data chunk; all in one chunk if 0.
    var chunkByteCount = 0

    /// A file of random filtered rows: any bytes are valid output of any filter.
    func file(filters: ClosedRange<UInt8> = 0...4, _ random: inout SeededGenerator) -> PNGParts {
        let rowByteCount = (width * color.channelCount * depth + 7) / 8
        var rows = Data()
        for _ in 0..<height {
            rows.append(UInt8.random(in: filters, using: &random))
            rows += (0..<rowByteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        return file(rows: rows, &random)
    }

    /// A file of rows, each preceded by its filter.
    func file(rows: Data, _ random: inout SeededGenerator) -> PNGParts {
        var parts = PNGParts()
        let kind = Data([UInt8(depth), UInt8(color.rawValue), 0, 0, isInterlaced ? 1 : 0])
        parts.chunks.append(("IHDR", bigEndian32(width) + bigEndian32(height) + kind))
        if color == .palette {
            let colors = (0..<paletteCount * 3).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            parts.chunks.append(("PLTE", Data(colors)))
        }
        if !transparency.isEmpty { parts.chunks.append(("tRNS", transparency)) }
        var stream = Self.stored(rows)
        while chunkByteCount > 0, stream.count > chunkByteCount {
            parts.chunks.append(("IDAT", Data(stream.prefix(chunkByteCount))))
            stream = Data(stream.dropFirst(chunkByteCount))
        }
        parts.chunks.append(("IDAT", stream))
        parts.chunks.append(("IEND", Data()))
        return parts
    }

    /// A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4).
    static func stored(_ bytes: Data, windowBits: UInt8 = 15) -> Data {
        let method = (windowBits - 8) << 4 | 8
        let check = 31 - UInt8((Int(method) << 8) % 31)
        var (stream, rest) = (Data([method, check]), bytes)
        repeat {
            let part = rest.prefix(65_535)
            rest = rest.dropFirst(part.count)
            stream += Data([rest.isEmpty ? 1 : 0]) + littleEndian(part.count, 2)
            stream += littleEndian(~part.count, 2) + part
        } while !rest.isEmpty
        return stream + bigEndian32(adler32(bytes))
    }

    private static func adler32(_ bytes: Data) -> Int {
        let (low, high) = bytes.reduce((1, 0)) { sums, byte in
            let low = (sums.0 + Int(byte)) % 65_521
            return (low, (sums.1 + low) % 65_521)
        }
        return high << 16 | low
    }
}
