import CalotypeCore
import FoundationEssentials

/// An Exif block whose values are changed in place (TIFF 6.0 section 2).
///
/// Follows one offset to each of three directories, so a cycle has no effect. Offsets beyond the block are
/// ignored.
struct EditedExif {
    private(set) var bytes: [UInt8]
    private let isLittleEndian: Bool
    private let first: Directory

    private struct Directory {
        let start: Int
        let entryCount: Int
        /// The offset of the pointer to the next directory.
        var end: Int { start + 2 + 12 * entryCount }
    }

    /// Copies a block without the prefix of JPEG's segment; fails unless its first directory is complete.
    init?(_ block: Data) {
        let block = block.starts(with: Data("Exif\0\0".utf8)) ? block.dropFirst(6) : block
        switch block.prefix(4) {
        case Data([0x49, 0x49, 0x2A, 0]): isLittleEndian = true
        case Data([0x4D, 0x4D, 0, 0x2A]): isLittleEndian = false
        default: return nil
        }
        bytes = [UInt8](block)
        guard let start = Self.long(bytes, at: 4, isLittleEndian),
            let directory = Self.directory(bytes, at: start, isLittleEndian)
        else { return nil }
        first = directory
    }

    /// States upright pixels, and removes thumbnails and previews, which show the original's.
    ///
    /// A block whose thumbnails cannot be found becomes empty.
    mutating func makeUpright() {
        set(0x0112, to: 1, in: first)
        let next = long(at: first.end)
        guard var ranges = thumbnails(from: next ?? 0) else {
            bytes = []
            return
        }
        if next != nil { setLong(0, at: first.end) }
        if let previewInNotes { ranges.append(previewInNotes) }
        for range in ranges.sorted(by: { $0.upperBound > $1.upperBound })
        where !range.overlaps(0..<8) && !range.overlaps(first.start..<first.end + 4) {
            if range.upperBound >= bytes.count {
                bytes.removeSubrange(min(range.lowerBound, bytes.count)...)
            } else {
                bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
            }
        }
    }

    /// States another size of the pixels, where the block states one.
    ///
    /// A directory of the photograph that overlaps the first directory does not change.
    mutating func setSize(_ size: PixelSize) {
        set(0x0100, to: size.width, in: first)
        set(0x0101, to: size.height, in: first)
        guard let start = value(0x8769, in: first), let fields = directory(at: start),
            !(fields.start..<fields.end).overlaps(first.start..<first.end + 4)
        else { return }
        set(0xA002, to: size.width, in: fields)
        set(0xA003, to: size.height, in: fields)
    }

    // MARK: Thumbnails

    /// The tags of the offsets and of the byte counts of a directory's pixels: JPEG, strips, tiles (Exif 2.32
    /// section 4.5.5, TIFF 6.0 sections 8 and 15).
    private static let pixelTags = [(0x0201, 0x0202), (0x0111, 0x0117), (0x0144, 0x0145)]

    /// Returns the pixels of the directories from an offset on; `nil` if one cannot be read, or if they have
    /// more bytes than the block.
    private func thumbnails(from offset: Int) -> [Range<Int>]? {
        var (ranges, next) = ([Range<Int>](), offset)
        // Exif has two directories; a cycle ends too.
        for _ in 0..<4 where next != 0 && next != first.start && next < bytes.count {
            guard let directory = directory(at: next) else { return nil }
            for tags in Self.pixelTags {
                let (starts, counts) = (values(tags.0, in: directory), values(tags.1, in: directory))
                guard starts.count == counts.count else { return nil }
                for (start, count) in zip(starts, counts) where start < bytes.count {
                    ranges.append(start..<min(bytes.count, start + count))
                }
            }
            guard ranges.reduce(0, { $0 + $1.count }) <= bytes.count else { return nil }
            next = long(at: directory.end) ?? 0
        }
        return ranges
    }

    /// The notes of the camera from the first JPEG in them on; `nil` without any.
    private var previewInNotes: Range<Int>? {
        guard let start = value(0x8769, in: first), let fields = directory(at: start),
            let notes = entries(in: fields).first(where: { short(at: $0) == 0x927C }),
            let count = long(at: notes + 4), count > 4, let offset = long(at: notes + 8), offset < bytes.count
        else { return nil }
        let end = min(bytes.count, offset + count)
        let image = (offset..<end).dropLast(2).first {
            bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 && bytes[$0 + 2] == 0xFF
        }
        return image.map { $0..<end }
    }

    // MARK: Directories

    private func directory(at start: Int) -> Directory? { Self.directory(bytes, at: start, isLittleEndian) }

    private static func directory(_ bytes: [UInt8], at start: Int, _ isLittleEndian: Bool) -> Directory? {
        guard start >= 8, let count = short(bytes, at: start, isLittleEndian) else { return nil }
        let directory = Directory(start: start, entryCount: count)
        // The pointer to the next directory may be missing.
        return directory.end <= bytes.count ? directory : nil
    }

    /// Returns the offsets of all entries.
    private func entries(in directory: Directory) -> [Int] {
        (0..<directory.entryCount).map { directory.start + 2 + 12 * $0 }
    }

    /// Returns the offsets of the entries of a tag with one value.
    private func entries(_ tag: Int, in directory: Directory) -> [Int] {
        entries(in: directory).filter { short(at: $0) == tag && long(at: $0 + 4) == 1 }
    }

    /// Returns all values of a tag of type SHORT, LONG or IFD.
    private func values(_ tag: Int, in directory: Directory) -> [Int] {
        guard let entry = entries(in: directory).first(where: { short(at: $0) == tag }),
            let byteCount = [3: 2, 4: 4, 13: 4][short(at: entry + 2) ?? 0],
            let count = long(at: entry + 4), count <= bytes.count / byteCount,
            let start = byteCount * count <= 4 ? entry + 8 : long(at: entry + 8)
        else { return [] }
        return (0..<count).compactMap {
            Self.integer(bytes, at: start + byteCount * $0, byteCount: byteCount, isLittleEndian)
        }
    }

    /// Returns the value of a tag of type SHORT, LONG or IFD.
    private func value(_ tag: Int, in directory: Directory) -> Int? {
        guard let entry = entries(tag, in: directory).first, let type = short(at: entry + 2) else {
            return nil
        }
        if type == 3 { return short(at: entry + 8) }
        return [4, 13].contains(type) ? long(at: entry + 8) : nil
    }

    /// Changes the value of a tag of type BYTE, SHORT or LONG; a value that the type cannot hold becomes its
    /// maximum.
    private mutating func set(_ tag: Int, to value: Int, in directory: Directory) {
        for entry in entries(tag, in: directory) {
            let byteCount = [1: 1, 3: 2, 4: 4][short(at: entry + 2) ?? 0]
            guard let byteCount else { continue }
            let value = min(value, 1 << (8 * byteCount) - 1)
            for index in 0..<byteCount {
                let shift = 8 * (isLittleEndian ? index : byteCount - 1 - index)
                bytes[entry + 8 + index] = UInt8(truncatingIfNeeded: value >> shift)
            }
        }
    }

    private mutating func setLong(_ value: Int, at offset: Int) {
        for index in 0..<4 {
            let shift = 8 * (isLittleEndian ? index : 3 - index)
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }

    // MARK: Integers

    private func short(at offset: Int) -> Int? { Self.short(bytes, at: offset, isLittleEndian) }

    private func long(at offset: Int) -> Int? { Self.long(bytes, at: offset, isLittleEndian) }

    private static func short(_ bytes: [UInt8], at offset: Int, _ isLittleEndian: Bool) -> Int? {
        integer(bytes, at: offset, byteCount: 2, isLittleEndian)
    }

    private static func long(_ bytes: [UInt8], at offset: Int, _ isLittleEndian: Bool) -> Int? {
        integer(bytes, at: offset, byteCount: 4, isLittleEndian)
    }

    private static func integer(
        _ bytes: [UInt8],
        at offset: Int,
        byteCount: Int,
        _ isLittleEndian: Bool
    ) -> Int? {
        guard offset >= 0, offset <= bytes.count - byteCount else { return nil }
        return (0..<byteCount).reduce(0) { value, index in
            value << 8 | Int(bytes[offset + (isLittleEndian ? byteCount - 1 - index : index)])
        }
    }
}
