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

    /// States upright pixels, and removes the thumbnail, which shows the original's.
    mutating func makeUpright() {
        set(0x0112, to: 1, in: first)
        guard let next = long(at: first.end), next != 0 else { return }
        setLong(0, at: first.end)
        guard let thumbnails = directory(at: next), let start = value(0x0201, in: thumbnails),
            let count = value(0x0202, in: thumbnails), start >= 8, start < bytes.count, count > 0
        else { return }
        let range = start..<min(bytes.count, start + count)
        guard !range.overlaps(first.start..<first.end + 4) else { return }
        if range.upperBound == bytes.count {
            bytes.removeSubrange(range)
        } else {
            bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
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

    // MARK: Directories

    private func directory(at start: Int) -> Directory? { Self.directory(bytes, at: start, isLittleEndian) }

    private static func directory(_ bytes: [UInt8], at start: Int, _ isLittleEndian: Bool) -> Directory? {
        guard start >= 8, let count = short(bytes, at: start, isLittleEndian) else { return nil }
        let directory = Directory(start: start, entryCount: count)
        // The pointer to the next directory may be missing.
        return directory.end <= bytes.count ? directory : nil
    }

    /// Returns the offsets of the entries of a tag with one value.
    private func entries(_ tag: Int, in directory: Directory) -> [Int] {
        (0..<directory.entryCount).map { directory.start + 2 + 12 * $0 }
            .filter { short(at: $0) == tag && long(at: $0 + 4) == 1 }
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
