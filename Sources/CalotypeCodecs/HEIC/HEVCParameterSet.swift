import CalotypeCore
import FoundationEssentials

/// The size that a sequence parameter set of HEVC states (ITU-T H.265 section 7.3.2.2): what the decoder
/// allocates, whatever the boxes say.
struct HEVCParameterSet {
    /// The sample grid, before any crop.
    let size: PixelSize

    /// Reads a NAL unit; fails where it is none of a parameter set or ends before the size.
    init?(_ unit: Data) {
        guard let first = unit.first, HEVCUnit.type(first) == HEVCUnit.parameterSet else { return nil }
        var bits = HEVCBits(unit.dropFirst(2))
        bits.skip(4)
        guard let subLayerCount = bits.integer(3) else { return nil }
        bits.skip(1)
        Self.skipProfile(&bits, subLayerCount: subLayerCount)
        guard bits.exponential() != nil, let chroma = bits.exponential() else { return nil }
        if chroma == 3 { bits.skip(1) }
        guard let width = bits.exponential(), let height = bits.exponential() else { return nil }
        size = PixelSize(width: width, height: height)
    }

    /// Section 7.3.3.
    private static func skipProfile(_ bits: inout HEVCBits, subLayerCount: Int) {
        bits.skip(88 + 8)
        var skipped = 0
        for _ in 0..<subLayerCount {
            guard let hasProfile = bits.integer(1), let hasLevel = bits.integer(1) else { return }
            skipped += hasProfile * 88 + hasLevel * 8
        }
        if subLayerCount > 0 { bits.skip(2 * (8 - subLayerCount)) }
        bits.skip(skipped)
    }
}

/// The header of a NAL unit, section 7.3.1.2.
enum HEVCUnit {
    static let parameterSet = 33
    /// The types below are slices of a picture.
    static let pictureTypeMax = 31

    static func type(_ firstByte: UInt8) -> Int { Int(firstByte >> 1 & 63) }

    /// Whether a unit is the first slice of a picture.
    static func startsPicture(_ unit: Data) -> Bool {
        let head = [UInt8](unit.prefix(3))
        return head.count == 3 && type(head[0]) <= pictureTypeMax && head[2] & 0x80 != 0
    }
}

/// Bits from the most significant of each byte on, without the bytes that only keep start codes apart.
struct HEVCBits {
    private let bytes: [UInt8]
    private var used = 0

    /// Takes as much of a unit as a parameter set needs before its size.
    init(_ unit: Data) {
        var bytes: [UInt8] = []
        var zeroCount = 0
        for byte in unit.prefix(256) {
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

    /// An integer in the code of section 9.2.
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
