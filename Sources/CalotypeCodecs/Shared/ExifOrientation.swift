import CalotypeCore
import CalotypeSupport
import FoundationEssentials

extension Orientation {
    /// Reads tag 0x0112 out of the first directory of a TIFF block; `nil` where it is absent or makes no
    /// sense.
    ///
    /// - SeeAlso: EXIF 2.32 section 4.5, TIFF 6.0 section 2.
    init?(exif block: Data) {
        guard let directory = TIFFDirectory(block), let value = directory.short(tag: 0x0112) else {
            return nil
        }
        self.init(rawValue: Int(value))
    }
}

/// The first directory of a TIFF block, read with bounds checked and without following anything but its
/// offset.
private struct TIFFDirectory {
    private let entries: TIFFIntegers

    /// Fails where the block does not start as a TIFF does.
    init?(_ block: Data) {
        let isLittleEndian: Bool
        switch block.prefix(4) {
        case Data([0x49, 0x49, 0x2A, 0]): isLittleEndian = true
        case Data([0x4D, 0x4D, 0, 0x2A]): isLittleEndian = false
        default: return nil
        }
        var header = TIFFIntegers(block.dropFirst(4), isLittleEndian: isLittleEndian)
        guard let offset = header.next(UInt32.self) else { return nil }
        entries = TIFFIntegers(block.dropFirst(Int(offset)), isLittleEndian: isLittleEndian)
    }

    /// The value of a tag of one 16-bit integer.
    func short(tag wanted: UInt16) -> UInt16? {
        var reader = entries
        guard let entryCount = reader.next(UInt16.self) else { return nil }
        for _ in 0..<entryCount {
            guard let tag = reader.next(UInt16.self),
                let type = reader.next(UInt16.self),
                let valueCount = reader.next(UInt32.self),
                let value = reader.next(UInt16.self),
                reader.next(UInt16.self) != nil
            else { return nil }
            if tag == wanted { return type == 3 && valueCount == 1 ? value : nil }
        }
        return nil
    }
}

/// Integers in the byte order that a TIFF block names.
private struct TIFFIntegers {
    private var reader: ByteReader
    private let isLittleEndian: Bool

    init(_ bytes: Data, isLittleEndian: Bool) {
        reader = ByteReader(bytes)
        self.isLittleEndian = isLittleEndian
    }

    mutating func next<Value: FixedWidthInteger & UnsignedInteger>(_ type: Value.Type) -> Value? {
        isLittleEndian ? reader.littleEndian(type) : reader.bigEndian(type)
    }
}
