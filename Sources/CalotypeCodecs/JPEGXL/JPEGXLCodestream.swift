import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Finds the codestream in a file: the file itself, or the content of boxes (ISO/IEC 18181-2 section 9).
///
/// libjxl receives only the codestream, so it decodes exactly the bytes that were checked here.
enum JPEGXLCodestream {
    private static let signature = Data([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10])

    /// Returns the available part of the codestream.
    ///
    /// - Throws: `DecodeError` with `corrupt` if the file is not JPEG XL, and `truncated` if no byte of the
    ///   codestream has arrived.
    static func bytes(of file: Data) throws(DecodeError) -> Data {
        var codestream = file
        if file.starts(with: signature) { codestream = try boxed(file) }
        guard codestream.count >= 2, !signature.starts(with: codestream) else { throw .jpegXLEnds }
        // Otherwise libjxl would search for boxes again.
        guard codestream.starts(with: [0xFF, 0x0A]) else {
            throw DecodeError(.corrupt, format: .jpegXL, detail: "the file contains no codestream")
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
                // A number of four bytes comes first; its highest bit marks the last part.
                guard box.payload.count >= 4 else { continue }
                codestream.append(box.payload.dropFirst(4))
                isLast = box.payload[box.payload.startIndex] & 0x80 != 0
            default: continue
            }
        }
        return codestream
    }

    /// Returns the next box, complete or not; `nil` if its header has not arrived.
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
            throw DecodeError(.corrupt, format: .jpegXL, detail: "a box is shorter than its header")
        }
        let rest = UInt64(reader.remainingByteCount)
        let wanted = size == 0 ? rest : min(rest, byteCount - headByteCount)
        return reader.bytes(Int(wanted)).map { ISOBox(type: ISOBoxType(rawValue: type), payload: $0) }
    }
}
