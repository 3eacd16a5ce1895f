import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Finds the codestream in a file: the file itself, or what boxes hold (ISO/IEC 18181-2 section 9).
///
/// libjxl gets the codestream alone, so that what is read ahead here is what it decodes.
enum JPEGXLCodestream {
    private static let signature = Data([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10])

    /// What there is of the codestream in what there is of the file.
    ///
    /// - Throws: `DecodeError` with `corrupt` where the file is none of JPEG XL, and `truncated` where no
    ///   byte of the codestream has come.
    static func bytes(of file: Data) throws(DecodeError) -> Data {
        var codestream = file
        if file.starts(with: signature) { codestream = try boxed(file) }
        guard codestream.count >= 2, !signature.starts(with: codestream) else { throw .jpegXLEnds }
        // libjxl would look for boxes once more.
        guard codestream.starts(with: [0xFF, 0x0A]) else {
            throw DecodeError(.corrupt, format: .jpegXL, detail: "there is no codestream")
        }
        return codestream
    }

    private static func boxed(_ file: Data) throws(DecodeError) -> Data {
        var reader = ByteReader(file)
        var codestream = Data()
        var isLast = false
        while !isLast, let box = try nextBox(&reader) {
            switch box.type {
            case ISOBoxType("jxlc"):
                codestream = box.payload
                isLast = true
            case ISOBoxType("jxlp"):
                // Four bytes of a number stand first, whose highest bit marks the last part.
                guard box.payload.count >= 4 else { continue }
                codestream.append(box.payload.dropFirst(4))
                isLast = box.payload[box.payload.startIndex] & 0x80 != 0
            default: continue
            }
        }
        return codestream
    }

    /// The next box, or what there is of it; `nil` where its head has not come.
    private static func nextBox(_ reader: inout ByteReader) throws(DecodeError) -> ISOBox? {
        guard let size = reader.bigEndian(UInt32.self), let type = reader.bigEndian(UInt32.self) else {
            return nil
        }
        var byteCount = UInt64(size)
        var headByteCount: UInt64 = 8
        if size == 1 {
            guard let long = reader.bigEndian(UInt64.self) else { return nil }
            (byteCount, headByteCount) = (long, 16)
        }
        guard size == 0 || byteCount >= headByteCount else {
            throw DecodeError(.corrupt, format: .jpegXL, detail: "a box is shorter than its head")
        }
        let rest = UInt64(reader.remainingByteCount)
        let wanted = size == 0 ? rest : min(rest, byteCount - headByteCount)
        return reader.bytes(Int(wanted)).map { ISOBox(type: ISOBoxType(rawValue: type), payload: $0) }
    }
}
