import FoundationEssentials

/// Reads bits of a codec's header, most significant first in each byte.
struct CodedBits {
    private let bytes: [UInt8]
    private var used = 0

    /// Longer than any header up to the required fields.
    private static let maxByteCount = 1_024

    /// Creates a reader of raw bytes.
    init(_ bytes: Data) {
        self.bytes = [UInt8](bytes.prefix(Self.maxByteCount))
    }

    /// Creates a reader of an HEVC NAL unit, without the bytes that prevent start codes.
    init(unit: Data) {
        var bytes: [UInt8] = []
        var zeroCount = 0
        for byte in unit.prefix(Self.maxByteCount) {
            let isKept = !(byte == 3 && zeroCount >= 2)
            if isKept { bytes.append(byte) }
            zeroCount = byte == 0 ? zeroCount + 1 : 0
        }
        self.bytes = bytes
    }

    mutating func skip(_ bitCount: Int) { used += bitCount }

    /// Reads an integer of at most 32 bits.
    mutating func integer(_ bitCount: Int) -> Int? {
        guard used + bitCount <= bytes.count * 8 else { return nil }
        var value = 0
        for position in used..<used + bitCount {
            let bit = bytes[position / 8] >> UInt8(7 - position % 8) & 1
            value = value << 1 | Int(bit)
        }
        used += bitCount
        return value
    }

    mutating func flag() -> Bool? { integer(1).map { $0 == 1 } }

    /// Reads an integer in the exponential code of ITU-T H.265 section 9.2, equal to AV1 section 4.10.3.
    mutating func exponential() -> Int? {
        var zeros = 0
        while let bit = integer(1) {
            if bit == 1 { return integer(zeros).map { $0 + (1 << zeros) - 1 } }
            zeros += 1
            guard zeros <= 32 else { return nil }
        }
        return nil
    }
}
