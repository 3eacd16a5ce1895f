import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// What the first directory of an Exif block tells that is of use: which way up the picture is, and whose it
/// is.
///
/// Bounds are checked, and nothing is followed but the offsets of the directory and of two texts; what makes
/// no sense is as if it were not there.
///
/// - SeeAlso: EXIF 2.32 sections 4.5 and 4.6.5, TIFF 6.0 section 2.
struct ExifFields {
    /// Tag 0x0112.
    let orientation: Orientation?
    /// Tags 0x013B and 0x8298.
    let copyright: Copyright?

    /// Nothing.
    init() { (orientation, copyright) = (nil, nil) }

    /// Reads a TIFF block, also one with the prefix of JPEG's segment, as some files of others have it.
    init(_ block: Data) {
        let prefix = Data("Exif\0\0".utf8)
        let block = block.starts(with: prefix) ? block.dropFirst(prefix.count) : block
        guard let directory = TIFFDirectory(block) else { self.init(); return }
        self.init(
            orientation: directory.short(0x0112).flatMap { Orientation(rawValue: Int($0)) },
            copyright: Copyright(artist: directory.text(0x013B), notice: directory.text(0x8298))
        )
    }

    private init(orientation: Orientation?, copyright: Copyright?) {
        (self.orientation, self.copyright) = (orientation, copyright)
    }
}

/// The entries of the first directory of a TIFF block that are looked for.
private struct TIFFDirectory {
    private struct Entry {
        let type: UInt16
        let valueCount: Int
        /// The value, where it has room in four bytes, else where it is.
        let field: Data
    }

    private static let wanted: Set<UInt16> = [0x0112, 0x013B, 0x8298]

    private let block: Data
    private let isLittleEndian: Bool
    private var entries: [UInt16: Entry] = [:]

    /// Fails where the block does not start as a TIFF does.
    init?(_ block: Data) {
        switch block.prefix(4) {
        case Data([0x49, 0x49, 0x2A, 0]): isLittleEndian = true
        case Data([0x4D, 0x4D, 0, 0x2A]): isLittleEndian = false
        default: return nil
        }
        self.block = block
        var header = integers(block.dropFirst(4))
        guard let offset = header.next(UInt32.self) else { return nil }
        var reader = integers(block.dropFirst(Int(offset)))
        for _ in 0..<(reader.next(UInt16.self) ?? 0) {
            guard let tag = reader.next(UInt16.self), let type = reader.next(UInt16.self),
                let valueCount = reader.next(UInt32.self), let field = reader.bytes(4)
            else { return }
            guard Self.wanted.contains(tag), entries[tag] == nil else { continue }
            entries[tag] = Entry(type: type, valueCount: Int(valueCount), field: field)
        }
    }

    /// The value of a tag of one 16-bit integer.
    func short(_ tag: UInt16) -> UInt16? {
        guard let entry = entries[tag], entry.type == 3, entry.valueCount == 1 else { return nil }
        var reader = integers(entry.field)
        return reader.next(UInt16.self)
    }

    /// The text of a tag, in ASCII or, as most have it, in UTF-8; empty where there is none.
    func text(_ tag: UInt16) -> String {
        guard let entry = entries[tag], [2, 129].contains(entry.type) else { return "" }
        var bytes = entry.field.prefix(entry.valueCount)
        if entry.valueCount > 4 {
            var reader = integers(entry.field)
            guard let offset = reader.next(UInt32.self) else { return "" }
            // More than is kept, so that what stands at the cut is not.
            let byteCount = min(entry.valueCount, 2 * Copyright.byteCountMax)
            bytes = block.dropFirst(Int(offset)).prefix(byteCount)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func integers(_ bytes: Data) -> TIFFIntegers {
        TIFFIntegers(bytes, isLittleEndian: isLittleEndian)
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

    mutating func bytes(_ count: Int) -> Data? { reader.bytes(count) }
}

extension Copyright {
    /// A TIFF block with these texts and nothing else, for an Exif that is written.
    var exif: Data {
        let texts = [(UInt16(0x013B), artist), (0x8298, notice)].filter { !$0.1.isEmpty }
        var directory = Data("MM\0*".utf8) + bytes(UInt32(8)) + bytes(UInt16(texts.count))
        var values = Data()
        let start = directory.count + 12 * texts.count + 4
        for (tag, text) in texts {
            let value = Data(text.utf8) + [0]
            directory += bytes(tag) + bytes(UInt16(2)) + bytes(UInt32(value.count))
            guard value.count > 4 else {
                directory += value + Data(count: 4 - value.count)
                continue
            }
            directory += bytes(UInt32(start + values.count))
            values += value
        }
        return directory + bytes(UInt32(0)) + values
    }

    private func bytes(_ value: some FixedWidthInteger) -> Data {
        Data((0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}
