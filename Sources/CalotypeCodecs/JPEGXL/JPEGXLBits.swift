import CalotypeCore
import FoundationEssentials

/// Reads the fields of a JPEG XL codestream, least significant bit first (ISO/IEC 18181-1 annex B).
struct JPEGXLBits {
    /// A number of bits to read, and a constant to add to them.
    typealias Field = (bitCount: Int, base: Int)

    private let bytes: Data
    /// In bits, from the first byte.
    private var position: Int

    /// Starts at the byte at `offset`, which may lie behind the last.
    init(_ bytes: Data, at offset: Int) {
        self.bytes = bytes
        position = offset * 8
    }

    /// The offset of the next whole byte.
    var byteOffset: Int { (position + 7) / 8 }

    /// Reads at most 32 bits.
    ///
    /// - Throws: `DecodeError` with `truncated`.
    mutating func bits(_ count: Int) throws(DecodeError) -> Int {
        guard count <= bytes.count * 8 - position else { throw .jpegXLEnds }
        let first = position / 8
        var value = 0
        for index in first..<(position + count + 7) / 8 {
            value |= Int(bytes[bytes.startIndex + index]) << ((index - first) * 8)
        }
        value = value >> (position % 8) & (1 << count - 1)
        position += count
        return value
    }

    mutating func skip(_ count: Int) throws(DecodeError) {
        guard count <= bytes.count * 8 - position else { throw .jpegXLEnds }
        position += count
    }

    mutating func skipToByte() {
        position = byteOffset * 8
    }

    mutating func flag() throws(DecodeError) -> Bool { try bits(1) == 1 }

    /// Reads a number in one of four encodings, selected by two bits.
    mutating func number(
        _ first: Field,
        _ second: Field,
        _ third: Field,
        _ fourth: Field
    ) throws(DecodeError) -> Int {
        let field = [first, second, third, fourth][try bits(2)]
        return try bits(field.bitCount) + field.base
    }

    /// Reads a number of up to 64 bits.
    mutating func longNumber() throws(DecodeError) -> UInt64 {
        switch try bits(2) {
        case 0: return 0
        case 1: return UInt64(try bits(4) + 1)
        case 2: return UInt64(try bits(8) + 17)
        default:
            var value = UInt64(try bits(12))
            var shift = 12
            while try flag() {
                value |= UInt64(try bits(shift == 60 ? 4 : 8)) << shift
                if shift == 60 { break }
                shift += 8
            }
            return value
        }
    }
}

extension DecodeError {
    /// The error for missing bytes of the codestream.
    static var jpegXLEnds: DecodeError {
        DecodeError(.truncated, format: .jpegXL, detail: "the file ends before the image is complete")
    }
}
