import CalotypeCore
import FoundationEssentials

/// An Exif block under construction: one directory in ascending order of tags (TIFF 6.0 section 2).
struct ExifWriter {
    private var entries: [(tag: UInt16, type: UInt16, valueCount: Int, bytes: Data)] = []

    /// Encodes an orientation and a copyright; `nil` if there is nothing to write.
    static func block(orientation: Orientation?, copyright: Copyright?) -> Data? {
        var writer = ExifWriter()
        if let orientation, orientation != .up {
            let value = bytes(UInt16(orientation.rawValue))
            writer.entries.append((tag: 0x0112, type: 3, valueCount: 1, bytes: value))
        }
        for (tag, text) in [(UInt16(0x013B), copyright?.artist), (0x8298, copyright?.notice)] {
            guard let text, !text.isEmpty else { continue }
            let value = Data(text.utf8) + [0]
            writer.entries.append((tag: tag, type: 2, valueCount: value.count, bytes: value))
        }
        return writer.entries.isEmpty ? nil : writer.block
    }

    private var block: Data {
        var directory = Data("MM\0*".utf8) + Self.bytes(UInt32(8)) + Self.bytes(UInt16(entries.count))
        var values = Data()
        let start = directory.count + 12 * entries.count + 4
        for entry in entries {
            directory += Self.bytes(entry.tag) + Self.bytes(entry.type)
            directory += Self.bytes(UInt32(entry.valueCount))
            guard entry.bytes.count > 4 else {
                directory += entry.bytes + Data(count: 4 - entry.bytes.count)
                continue
            }
            directory += Self.bytes(UInt32(start + values.count))
            values += entry.bytes
        }
        return directory + Self.bytes(UInt32(0)) + values
    }

    private static func bytes(_ value: some FixedWidthInteger) -> Data {
        Data((0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}

extension Copyright {
    /// The Exif block with these texts only.
    var exif: Data { ExifWriter.block(orientation: nil, copyright: self) ?? Data() }
}
