import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The tags of the first directory of a TIFF or BigTIFF file, read with bounds checked.
///
/// - SeeAlso: TIFF 6.0 section 2; the design of BigTIFF.
struct TIFFTags {
    private struct Entry {
        let type: Int
        let valueCount: Int
        /// Where the values are.
        let offset: Int
    }

    private let file: Data
    private let isLittleEndian: Bool
    private var entries: [UInt16: Entry] = [:]

    /// Reads the directory.
    ///
    /// - Throws: ``DecodeError`` with `truncated` where it lies beyond the end of the file.
    init(_ file: Data) throws(DecodeError) {
        self.file = file
        switch file.prefix(4) {
        case Data([0x49, 0x49, 42, 0]), Data([0x49, 0x49, 43, 0]): isLittleEndian = true
        case Data([0x4D, 0x4D, 0, 42]), Data([0x4D, 0x4D, 0, 43]): isLittleEndian = false
        default:
            throw DecodeError(
                file.count < 4 ? .truncated : .corrupt,
                format: .tiff,
                detail: "the file does not start as a TIFF does"
            )
        }
        let isBig = file.prefix(4).contains(43)
        var directory = try integer(at: isBig ? 8 : 4, byteCount: isBig ? 8 : 4)
        let entryCount = try integer(at: directory, byteCount: isBig ? 8 : 2)
        directory += isBig ? 8 : 2
        let (entrySize, roomSize) = isBig ? (20, 8) : (12, 4)
        guard entryCount <= (file.count - directory) / entrySize else { throw .beyondEnd }
        for index in 0..<entryCount {
            try readEntry(at: directory + index * entrySize, roomSize: roomSize)
        }
    }

    /// The integers of a tag; `nil` where it is absent or holds none.
    ///
    /// - Throws: ``DecodeError`` with `truncated` where they lie beyond the end of the file.
    func integers(_ tag: UInt16) throws(DecodeError) -> [Int]? {
        guard let entry = entries[tag], let byteCount = Self.integerByteCounts[entry.type] else { return nil }
        guard entry.valueCount <= (file.count - entry.offset) / byteCount else { throw .beyondEnd }
        var values: [Int] = []
        for index in 0..<entry.valueCount {
            values.append(try integer(at: entry.offset + index * byteCount, byteCount: byteCount))
        }
        return values
    }

    /// The only or first integer of a tag.
    func integer(_ tag: UInt16) throws(DecodeError) -> Int? {
        try integers(tag)?.first
    }

    /// BYTE, SHORT, LONG and LONG8.
    private static let integerByteCounts = [1: 1, 3: 2, 4: 4, 16: 8]
    /// Of each type there is.
    private static let byteCounts = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

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
        if entries[UInt16(tag)] == nil {
            entries[UInt16(tag)] = Entry(type: type, valueCount: valueCount, offset: place)
        }
    }

    private func integer(at offset: Int, byteCount: Int) throws(DecodeError) -> Int {
        guard offset <= file.count - byteCount else { throw .beyondEnd }
        let bytes = file.dropFirst(offset).prefix(byteCount)
        let value = (isLittleEndian ? Data(bytes.reversed()) : bytes).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        // More than a file can hold is as good as the most.
        return Int(min(value, UInt64(Int.max / 64)))
    }
}

extension DecodeError {
    fileprivate static let beyondEnd = DecodeError(
        .truncated,
        format: .tiff,
        detail: "the directory points beyond the end of the file"
    )
}
