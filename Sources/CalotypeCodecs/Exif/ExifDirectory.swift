import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A directory of an Exif block (TIFF 6.0 section 2).
///
/// Only the entries are read in advance, at most 65,535 of twelve bytes. A value is read on demand, within
/// the bounds of the block. Directories are not followed to the next one, so a cycle has no effect.
struct ExifDirectory {
    private struct Entry {
        let type: UInt16
        let valueCount: Int
        /// The value if it fits in four bytes, otherwise its offset in the block.
        let field: Data
    }

    private static let prefix = Data("Exif\0\0".utf8)
    private static let byteCounts: [UInt16: Int] = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 13: 4, 129: 1,
    ]

    private let block: Data
    private let isLittleEndian: Bool
    private var entries: [UInt16: Entry] = [:]

    /// Reads the first directory of a block, with or without the prefix of JPEG's segment; fails unless the
    /// block is a TIFF.
    init?(_ block: Data) {
        let block = block.starts(with: Self.prefix) ? block.dropFirst(Self.prefix.count) : block
        switch block.prefix(4) {
        case Data([0x49, 0x49, 0x2A, 0]): isLittleEndian = true
        case Data([0x4D, 0x4D, 0, 0x2A]): isLittleEndian = false
        default: return nil
        }
        self.block = block
        var header = integers(block.dropFirst(4))
        guard let offset = header.next(UInt32.self) else { return nil }
        read(at: Int(offset))
    }

    /// Reads the directory referenced by a tag; fails if the tag is absent or of another type.
    init?(_ pointer: UInt16, of directory: ExifDirectory) {
        guard let offset = directory.integer(pointer) else { return nil }
        (block, isLittleEndian) = (directory.block, directory.isLittleEndian)
        read(at: offset)
    }

    private mutating func read(at offset: Int) {
        var reader = integers(block.dropFirst(offset))
        for _ in 0..<(reader.next(UInt16.self) ?? 0) {
            guard let tag = reader.next(UInt16.self), let type = reader.next(UInt16.self),
                let valueCount = reader.next(UInt32.self), let field = reader.bytes(4)
            else { return }
            guard entries[tag] == nil else { continue }
            entries[tag] = Entry(type: type, valueCount: Int(valueCount), field: field)
        }
    }

    /// Tag 0x0112.
    var orientation: Orientation? {
        guard let entry = entries[0x0112], entry.type == 3, entry.valueCount == 1 else { return nil }
        return integer(0x0112).flatMap { Orientation(rawValue: $0) }
    }

    /// Returns the first value of a tag of type BYTE, SHORT, LONG or IFD.
    func integer(_ tag: UInt16) -> Int? {
        guard let entry = entries[tag], let bytes = values(tag, maxByteCount: 4) else { return nil }
        var reader = integers(bytes)
        switch entry.type {
        case 1: return reader.next(UInt8.self).map { Int($0) }
        case 3: return reader.next(UInt16.self).map { Int($0) }
        case 4, 13: return reader.next(UInt32.self).map { Int($0) }
        default: return nil
        }
    }

    /// Returns the values of a tag of type RATIONAL or SRATIONAL; `nil` unless the count matches and no
    /// denominator is 0.
    func rationals(_ tag: UInt16, count: Int) -> [Double]? {
        guard let entry = entries[tag], [5, 10].contains(entry.type), entry.valueCount == count,
            let bytes = values(tag, maxByteCount: 8 * count)
        else { return nil }
        var reader = integers(bytes)
        var result: [Double] = []
        for _ in 0..<count {
            guard let above = reader.next(UInt32.self), let below = reader.next(UInt32.self), below != 0
            else { return nil }
            let isSigned = entry.type == 10
            result.append(
                isSigned
                    ? Double(Int32(bitPattern: above)) / Double(Int32(bitPattern: below))
                    : Double(above) / Double(below)
            )
        }
        return result
    }

    /// Returns the text of a tag without control characters, up to its first zero; `nil` if it is empty,
    /// longer than `Exif.maxTextByteCount`, or not UTF-8.
    func text(_ tag: UInt16) -> String? {
        guard let bytes = textBytes(tag, maxByteCount: Exif.maxTextByteCount + 1) else { return nil }
        // Cameras pad with zeros and blanks.
        let text = bytes.prefix { $0 != 0 }
        guard text.count <= Exif.maxTextByteCount, let whole = String(validating: text, as: UTF8.self)
        else { return nil }
        var scalars = whole.unicodeScalars.filter { $0.properties.generalCategory != .control }
        while scalars.last == " " { scalars.removeLast() }
        let trimmed = String(String.UnicodeScalarView(scalars.drop { $0 == " " }))
        return trimmed.isEmpty ? nil : trimmed
    }

    /// Returns the complete text of a tag, with invalid UTF-8 replaced; empty if absent.
    func longText(_ tag: UInt16, maxByteCount: Int) -> String {
        textBytes(tag, maxByteCount: maxByteCount).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func textBytes(_ tag: UInt16, maxByteCount: Int) -> Data? {
        guard let entry = entries[tag], [2, 129].contains(entry.type) else { return nil }
        return values(tag, maxByteCount: maxByteCount)
    }

    /// Returns at most a number of bytes of a tag's values, truncated at the end of the block.
    private func values(_ tag: UInt16, maxByteCount: Int) -> Data? {
        guard let entry = entries[tag], let unit = Self.byteCounts[entry.type] else { return nil }
        let byteCount = unit * entry.valueCount
        guard byteCount > 4 else { return entry.field.prefix(byteCount) }
        var reader = integers(entry.field)
        guard let offset = reader.next(UInt32.self) else { return nil }
        return block.dropFirst(Int(offset)).prefix(min(byteCount, maxByteCount))
    }

    private func integers(_ bytes: Data) -> ExifIntegers {
        ExifIntegers(bytes, isLittleEndian: isLittleEndian)
    }
}

/// Integers in the byte order of an Exif block.
private struct ExifIntegers {
    private var reader: ByteReader
    private let isLittleEndian: Bool

    init(_ bytes: Data, isLittleEndian: Bool) {
        reader = ByteReader(bytes)
        self.isLittleEndian = isLittleEndian
    }

    mutating func next<Value: FixedWidthInteger & UnsignedInteger>(_ type: Value.Type) -> Value? {
        isLittleEndian ? reader.littleEndian(type) : reader.bigEndian(type)
    }

    mutating func bytes(_ count: Int) -> Data? { reader.bytes(count) }
}
