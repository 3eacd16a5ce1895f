import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The tags of a directory of a TIFF or BigTIFF file, read with bounds checked.
///
/// Values are read one at a time, on demand: a tag may claim as many as the file has bytes.
///
/// - SeeAlso: TIFF 6.0 section 2; the design of BigTIFF.
struct TIFFTags {
    private struct Entry {
        let type: Int
        let valueCount: Int
        let offset: Int
    }

    /// The range that contains the offset of the next directory.
    private(set) var nextDirectory = 0..<0
    /// The offset of this directory.
    private(set) var place = 0
    private let file: Data
    private let isLittleEndian: Bool
    private var entries: [UInt16: Entry] = [:]

    var fileByteCount: Int { file.count }

    /// The maximum number of tags of a directory.
    ///
    /// The library compares each tag with all others. Files of cameras have about a hundred.
    private static let maxEntryCount = 1000

    /// Reads a directory.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - place: The offset of the directory; `nil` for the first.
    /// - Throws: `DecodeError` with `truncated` if it lies beyond the end of the file, and `limitExceeded` if
    ///   reading its values would cost more than the size of the file.
    init(_ file: Data, at place: Int? = nil) throws(DecodeError) {
        self.file = file
        guard let head = TIFFHeader(file) else {
            throw DecodeError(
                file.count < 4 ? .truncated : .corrupt,
                format: .tiff,
                detail: "invalid TIFF header"
            )
        }
        isLittleEndian = head.isLittleEndian
        let isBig = head.isBig
        let first = try integer(at: isBig ? 8 : 4, byteCount: isBig ? 8 : 4)
        var directory = place ?? first
        self.place = directory
        let entryCount = try integer(at: directory, byteCount: isBig ? 8 : 2)
        directory += isBig ? 8 : 2
        let (entrySize, roomSize) = isBig ? (20, 8) : (12, 4)
        guard entryCount <= (file.count - directory) / entrySize else { throw .beyondEnd }
        guard entryCount <= Self.maxEntryCount else { throw .tooCostly("\(entryCount) tags") }
        for index in 0..<entryCount {
            try readEntry(at: directory + index * entrySize, roomSize: roomSize)
        }
        let end = directory + entryCount * entrySize
        nextDirectory = end..<min(file.count, end + roomSize)
    }

    /// Returns the integer of a tag, the first or the one at `index`; `nil` if absent.
    ///
    /// - Throws: `DecodeError` with `truncated` if it lies beyond the end of the file.
    func integer(_ tag: UInt16, at index: Int = 0) throws(DecodeError) -> Int? {
        guard let entry = entries[tag], let byteCount = Self.integerByteCounts[entry.type],
            index < entry.valueCount
        else { return nil }
        return try integer(at: entry.offset + index * byteCount, byteCount: byteCount)
    }

    /// Returns the number of values of a tag; 0 if absent.
    func count(_ tag: UInt16) -> Int { entries[tag]?.valueCount ?? 0 }

    /// Returns the offset of the next directory; `nil` after the last, or beyond the end.
    func nextPlace() throws(DecodeError) -> Int? {
        guard !nextDirectory.isEmpty else { return nil }
        let place = try integer(at: nextDirectory.lowerBound, byteCount: nextDirectory.count)
        return place == 0 ? nil : place
    }

    /// Returns a text of limited length, up to its zero; empty if absent.
    func text(_ tag: UInt16, maxByteCount: Int = 64) -> String {
        guard let entry = entries[tag], entry.type == 2 else { return "" }
        let bytes = file.dropFirst(entry.offset).prefix(min(entry.valueCount, maxByteCount))
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the range of a tag's bytes; `nil` if it is absent, or of another type.
    func bytes(_ tag: UInt16) -> Range<Int>? {
        guard let entry = entries[tag], [1, 7].contains(entry.type) else { return nil }
        return entry.offset..<entry.offset + entry.valueCount
    }

    func contains(_ tag: UInt16) -> Bool { entries[tag] != nil }

    /// BYTE, SHORT, LONG, IFD, LONG8 and IFD8.
    private static let integerByteCounts = [1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8]
    /// The size of each type.
    private static let byteCounts = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
    /// The maximum size of values that share their bytes, such as horizontal and vertical resolution.
    private static let maxSharedByteCount = 1 << 16

    /// The total size of the values of all tags; the library copies each of them.
    private var valueByteCount = 0

    private mutating func readEntry(at offset: Int, roomSize: Int) throws(DecodeError) {
        let tag = try integer(at: offset, byteCount: 2)
        let type = try integer(at: offset + 2, byteCount: 2)
        let valueCount = try integer(at: offset + 4, byteCount: roomSize)
        let room = offset + 4 + roomSize
        let unit = Self.byteCounts.indices.contains(type) ? Self.byteCounts[type] : 0
        let fits = unit == 0 || valueCount <= roomSize / unit
        let place = fits ? room : try integer(at: room, byteCount: roomSize)
        guard place <= file.count, unit == 0 || valueCount <= (file.count - place) / unit else {
            throw .beyondEnd
        }
        valueByteCount += unit * valueCount
        guard valueByteCount <= file.count + Self.maxSharedByteCount else {
            throw .tooCostly("overlapping tags")
        }
        if entries[UInt16(tag)] == nil {
            entries[UInt16(tag)] = Entry(type: type, valueCount: valueCount, offset: place)
        }
    }

    private func integer(at offset: Int, byteCount: Int) throws(DecodeError) -> Int {
        guard offset <= file.count - byteCount else { throw .beyondEnd }
        let bytes = file.span
        var value: UInt64 = 0
        for index in 0..<byteCount {
            value = value << 8 | UInt64(bytes[offset + (isLittleEndian ? byteCount - 1 - index : index)])
        }
        // Clamped to more than a file can hold.
        return Int(min(value, UInt64(Int.max / 64)))
    }
}

struct TIFFHeader {
    let isLittleEndian: Bool
    /// True for a BigTIFF, with offsets of 8 bytes.
    let isBig: Bool
    /// True for the version of Panasonic's camera raws.
    let isPanasonic: Bool

    /// Fails unless the file starts like a TIFF.
    init?(_ file: Data) {
        let head = [UInt8](file.prefix(4))
        guard head.count == 4 else { return nil }
        isLittleEndian = head[0] == 0x49
        let (low, high) = isLittleEndian ? (head[2], head[3]) : (head[3], head[2])
        guard head[0] == head[1], [0x49, 0x4D].contains(head[0]), high == 0, [42, 43, 85].contains(low) else {
            return nil
        }
        (isBig, isPanasonic) = (low == 43, low == 85)
    }
}

extension DecodeError {
    fileprivate static let beyondEnd = DecodeError(
        .truncated,
        format: .tiff,
        detail: "the directory points beyond the end of the file"
    )

    fileprivate static func tooCostly(_ detail: String) -> DecodeError {
        DecodeError(.limitExceeded, format: .tiff, detail: "a directory with \(detail)")
    }
}
