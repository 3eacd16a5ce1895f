import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The tags of a directory of a TIFF or BigTIFF file, read with bounds checked.
///
/// Values are read one at a time, when they are asked for: a tag may claim as many as the file has bytes.
///
/// - SeeAlso: TIFF 6.0 section 2; the design of BigTIFF.
struct TIFFTags {
    private struct Entry {
        let type: Int
        let valueCount: Int
        /// Where the values are.
        let offset: Int
    }

    /// Where the file says where the next directory is.
    private(set) var nextDirectory = 0..<0
    /// Where this one begins.
    private(set) var place = 0
    private let file: Data
    private let isLittleEndian: Bool
    private var entries: [UInt16: Entry] = [:]

    var fileByteCount: Int { file.count }

    /// Tags of a directory.
    ///
    /// The library compares each with all others. Files of cameras have about a hundred.
    private static let entryCountMax = 1000

    /// Reads a directory.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - place: Where the directory begins; `nil` for the first.
    /// - Throws: `DecodeError` with `truncated` where it lies beyond the end of the file, and
    ///   `limitExceeded` where reading its values would cost more than the file has bytes.
    init(_ file: Data, at place: Int? = nil) throws(DecodeError) {
        self.file = file
        guard let head = TIFFHead(file) else {
            throw DecodeError(
                file.count < 4 ? .truncated : .corrupt,
                format: .tiff,
                detail: "the file does not start as a TIFF does"
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
        guard entryCount <= Self.entryCountMax else { throw .tooCostly("\(entryCount) tags") }
        for index in 0..<entryCount {
            try readEntry(at: directory + index * entrySize, roomSize: roomSize)
        }
        let end = directory + entryCount * entrySize
        nextDirectory = end..<min(file.count, end + roomSize)
    }

    /// The first integer of a tag, or the one at `index`; `nil` where there is none.
    ///
    /// - Throws: `DecodeError` with `truncated` where it lies beyond the end of the file.
    func integer(_ tag: UInt16, at index: Int = 0) throws(DecodeError) -> Int? {
        guard let entry = entries[tag], let byteCount = Self.integerByteCounts[entry.type],
            index < entry.valueCount
        else { return nil }
        return try integer(at: entry.offset + index * byteCount, byteCount: byteCount)
    }

    /// How many values a tag has; 0 where there is none.
    func count(_ tag: UInt16) -> Int { entries[tag]?.valueCount ?? 0 }

    /// Where the next directory begins; `nil` after the last, or where that lies beyond the end.
    func nextPlace() throws(DecodeError) -> Int? {
        guard !nextDirectory.isEmpty else { return nil }
        let place = try integer(at: nextDirectory.lowerBound, byteCount: nextDirectory.count)
        return place == 0 ? nil : place
    }

    /// A text of at most so many bytes, up to its zero; empty where there is none.
    func text(_ tag: UInt16, byteCountMax: Int = 64) -> String {
        guard let entry = entries[tag], entry.type == 2 else { return "" }
        let bytes = file.dropFirst(entry.offset).prefix(min(entry.valueCount, byteCountMax))
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Where the bytes of a tag are; `nil` where it is absent, or not of bytes.
    func bytes(_ tag: UInt16) -> Range<Int>? {
        guard let entry = entries[tag], [1, 7].contains(entry.type) else { return nil }
        return entry.offset..<entry.offset + entry.valueCount
    }

    /// Whether the directory has a tag.
    func contains(_ tag: UInt16) -> Bool { entries[tag] != nil }

    /// BYTE, SHORT, LONG, IFD, LONG8 and IFD8.
    private static let integerByteCounts = [1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8]
    /// Of each type there is.
    private static let byteCounts = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
    /// What values that share their bytes may have, as resolutions across and down do.
    private static let sharedByteCountMax = 1 << 16

    /// The values of all tags; the library makes a copy of each.
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
        guard valueByteCount <= file.count + Self.sharedByteCountMax else {
            throw .tooCostly("tags that lie over each other")
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
        // More than a file can hold is as good as the most.
        return Int(min(value, UInt64(Int.max / 64)))
    }
}

/// The first bytes of a TIFF, and of what is built as one is.
struct TIFFHead {
    let isLittleEndian: Bool
    /// Whether it is a BigTIFF, with offsets of 8 bytes.
    let isBig: Bool
    /// Whether it has the version of Panasonic's raws.
    let isPanasonic: Bool

    /// Fails where no TIFF begins so.
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
