import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A box of the ISO base media file format (ISO/IEC 14496-12 section 4.2), the container of HEIC and AVIF.
struct ISOBox {
    let type: ISOBoxType
    /// The bytes after the size and the type.
    let payload: Data

    /// The maximum number of boxes at one level.
    static let maxCount = 20_000

    /// Splits bytes into boxes, in their order, without parsing the content.
    ///
    /// - Parameters:
    ///   - bytes: A whole file, or the payload of a box.
    ///   - format: The format, for errors.
    ///   - isFile: True for a file: its last box may extend to the end, and an incomplete box means a
    ///     truncated file.
    /// - Returns: The boxes in their order.
    /// - Throws: `DecodeError`.
    static func boxes(
        in bytes: Data,
        format: ImageFormat,
        isFile: Bool = false
    ) throws(DecodeError) -> [ISOBox] {
        var reader = ByteReader(bytes)
        var boxes: [ISOBox] = []
        while reader.remainingByteCount > 0 {
            guard boxes.count < maxCount else {
                throw DecodeError(.limitExceeded, format: format, detail: "more than \(maxCount) boxes")
            }
            guard let box = next(&reader, isFile: isFile) else {
                let code: DecodeError.Code = isFile ? .truncated : .corrupt
                throw DecodeError(code, format: format, detail: "a box exceeds its parent")
            }
            boxes.append(box)
        }
        return boxes
    }

    /// Returns the complete boxes of an incomplete file, or of a box that may be damaged.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of a file, or the payload of a box.
    ///   - maxCount: The maximum number of boxes.
    ///   - isFile: True if the last box may extend to the end without a size.
    /// - Returns: The boxes before the first incomplete one.
    static func wholeBoxes(in bytes: Data, maxCount: Int = maxCount, isFile: Bool = false) -> [ISOBox] {
        var reader = ByteReader(bytes)
        var boxes: [ISOBox] = []
        while boxes.count < maxCount, let box = next(&reader, isFile: isFile) { boxes.append(box) }
        return boxes
    }

    private static func next(_ reader: inout ByteReader, isFile: Bool) -> ISOBox? {
        guard let size = reader.bigEndian(UInt32.self), let type = reader.bigEndian(UInt32.self) else {
            return nil
        }
        var byteCount = UInt64(size) &- 8
        if size == 1 {
            guard let long = reader.bigEndian(UInt64.self), long >= 16 else { return nil }
            byteCount = long - 16
        } else if size == 0, isFile {
            byteCount = UInt64(reader.remainingByteCount)
        }
        guard byteCount <= UInt64(reader.remainingByteCount), let payload = reader.bytes(Int(byteCount))
        else {
            return nil
        }
        return ISOBox(type: ISOBoxType(rawValue: type), payload: payload)
    }
}

/// The four letters of a box type.
struct ISOBoxType: FourLetters {
    let rawValue: UInt32
}

extension ISOBoxType: CustomStringConvertible {
    /// The letters, with other bytes shown as points.
    var description: String {
        let letters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        return String(decoding: letters.map { (32..<127).contains($0) ? $0 : 46 }, as: UTF8.self)
    }
}

extension ISOBoxType {
    static let meta = ISOBoxType("meta")
    static let movie = ISOBoxType("moov")
}

/// The version and the flags at the start of some boxes (ISO/IEC 14496-12 section 4.2.2), and the fields
/// after them.
struct ISOFullBox {
    let version: Int
    let flags: Int
    /// The position after the flags.
    var reader: ByteReader

    /// Fails for fewer than four bytes.
    init?(_ payload: Data) {
        reader = ByteReader(payload)
        guard let word = reader.bigEndian(UInt32.self) else { return nil }
        version = Int(word >> 24)
        flags = Int(word & 0xFF_FFFF)
    }

    /// Reads an integer of 0, 2, 4 or 8 bytes, most significant byte first.
    mutating func integer(byteCount: Int) -> Int? {
        switch byteCount {
        case 0: return 0
        case 1: return reader.bigEndian(UInt8.self).map(Int.init)
        case 2: return reader.bigEndian(UInt16.self).map(Int.init)
        case 4: return reader.bigEndian(UInt32.self).map(Int.init)
        case 8: return reader.bigEndian(UInt64.self).flatMap(Int.init(exactly:))
        default: return nil
        }
    }
}
