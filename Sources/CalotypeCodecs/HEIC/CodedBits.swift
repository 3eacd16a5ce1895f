import FoundationEssentials

/// Bits of a codec's header, from the most significant of each byte on.
struct CodedBits {
    private let bytes: [UInt8]
    private var used = 0

    /// More than any header has before what is looked for.
    private static let byteCountMax = 1_024

    /// Bits of bytes as they stand.
    init(_ bytes: Data) {
        self.bytes = [UInt8](bytes.prefix(Self.byteCountMax))
    }

    /// Bits of a NAL unit of HEVC, without the bytes that only keep start codes apart.
    init(unit: Data) {
        var bytes: [UInt8] = []
        var zeroCount = 0
        for byte in unit.prefix(Self.byteCountMax) {
            let isKept = !(byte == 3 && zeroCount >= 2)
            if isKept { bytes.append(byte) }
            zeroCount = byte == 0 ? zeroCount + 1 : 0
        }
        self.bytes = bytes
    }

    mutating func skip(_ bitCount: Int) { used += bitCount }

    /// An integer of so many bits, at most 32.
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

    /// A bit that says yes or no.
    mutating func flag() -> Bool? { integer(1).map { $0 == 1 } }

    /// An integer in the code of ITU-T H.265 section 9.2, which is that of AV1 section 4.10.3 too.
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
