import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// The parts of a bitmap file, for any version of the header.
struct BMPParts {
    /// 12, 16...64, 108 or 124.
    var headerByteCount = 40
    var width: Int
    /// Negative for rows from top to bottom.
    var height: Int
    var bitsPerPixel: Int
    var compression = 0
    /// Red, green, blue and optionally alpha.
    var masks: [Int] = []
    /// Red, green and blue of each colour.
    var palette: [(Int, Int, Int)] = []
    /// `nil` for the size of the palette.
    var statedColorCount: Int?
    var profile = Data()
    /// `nil` for directly after the palette.
    var pixelStart: Int?
    var pixels: Data

    /// Rows in file order, each padded to a multiple of 4 bytes.
    static func rows(_ rows: [[UInt8]]) -> Data {
        Data(rows.flatMap { row in row + [UInt8](repeating: 0, count: (4 - row.count % 4) % 4) })
    }

    /// Header, masks, palette and pixels without the file header, as in an icon.
    var bitmap: Data { head + pixels }

    var file: Data {
        let start = pixelStart ?? 14 + head.count
        let count = 14 + head.count + pixels.count + profile.count
        return Data([0x42, 0x4D]) + littleEndian(count) + littleEndian(0) + littleEndian(start) + head
            + pixels
            + profile
    }

    private var head: Data {
        var header = littleEndian(headerByteCount)
        if headerByteCount == 12 {
            header += littleEndian(width, 2) + littleEndian(height, 2) + littleEndian(1, 2)
            header += littleEndian(bitsPerPixel, 2)
        } else {
            header += littleEndian(width) + littleEndian(height) + littleEndian(1, 2)
            header += littleEndian(bitsPerPixel, 2) + littleEndian(compression) + littleEndian(0)
            header += Data(count: 8) + littleEndian(statedColorCount ?? palette.count) + littleEndian(0)
            if headerByteCount >= 52 { header += masks.map { littleEndian($0) }.reduce(Data(), +) }
        }
        header = header.prefix(headerByteCount) + Data(count: max(0, headerByteCount - header.count))
        if headerByteCount == 124, !profile.isEmpty {
            header.replaceSubrange(56..<60, with: littleEndian(0x4D42_4544))
            let start = headerByteCount + palette.count * 4 + pixels.count
            header.replaceSubrange(112..<120, with: littleEndian(start) + littleEndian(profile.count))
        }
        if headerByteCount == 40 { header += masks.map { littleEndian($0) }.reduce(Data(), +) }
        let filler = headerByteCount == 12 ? [] : [UInt8(0)]
        let colors = palette.map { Data([UInt8($0.2), UInt8($0.1), UInt8($0.0)] + filler) }
        return header + colors.reduce(Data(), +)
    }
}

/// An icon as images with their directory entries.
struct IconParts {
    struct Entry {
        var width = 0
        var height = 0
        var bytes: Data
        /// `nil` for the actual offset.
        var start: Int?
        /// `nil` for the actual count.
        var byteCount: Int?
    }

    var kind = 1
    var entries: [Entry]

    init(_ images: [Data]) {
        entries = images.map { Entry(bytes: $0) }
    }

    var data: Data {
        var directory = littleEndian(0, 2) + littleEndian(kind, 2) + littleEndian(entries.count, 2)
        var start = 6 + 16 * entries.count
        for entry in entries {
            directory += Data([UInt8(entry.width), UInt8(entry.height), 0, 0, 1, 0, 32, 0])
            directory += littleEndian(entry.byteCount ?? entry.bytes.count)
            directory += littleEndian(entry.start ?? start)
            start += entry.bytes.count
        }
        return entries.reduce(directory) { $0 + $1.bytes }
    }
}
