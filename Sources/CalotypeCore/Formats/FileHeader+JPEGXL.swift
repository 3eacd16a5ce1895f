extension FileHeader {
    /// True for the signature box of the container (ISO/IEC 18181-2 section 9.1), or a codestream of a valid
    /// size.
    ///
    /// A codestream starts with only two fixed bytes, so its size must be valid in a profile of the format
    /// too: at most 2⁴⁰ pixels.
    var isJPEGXL: Bool {
        if starts(with: [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]) { return true }
        guard starts(with: [0xFF, 0x0A]) else { return false }
        var bits = Bits(bytes: bytes[2...])
        guard let size = bits.size() else { return false }
        return size.pixelCount <= 1 << 40
    }

    /// Reads bits, least significant first in each byte (ISO/IEC 18181-1 annex B).
    private struct Bits {
        var bytes: ArraySlice<UInt8>
        var used = 0

        mutating func integer(_ bitCount: Int) -> Int? {
            guard used + bitCount <= bytes.count * 8 else { return nil }
            defer { used += bitCount }
            return (0..<bitCount).reduce(0) { value, index in
                let bit = used + index
                return value | Int(bytes[bytes.startIndex + bit / 8] >> (bit % 8) & 1) << index
            }
        }

        /// Reads the size header of the codestream.
        mutating func size() -> PixelSize? {
            guard let isSmall = integer(1), let height = side(isSmall: isSmall == 1), let ratio = integer(3)
            else {
                return nil
            }
            let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
            if ratio > 0 {
                let (across, down) = ratios[ratio - 1]
                return PixelSize(width: height * across / down, height: height)
            }
            return side(isSmall: isSmall == 1).map { PixelSize(width: $0, height: height) }
        }

        private mutating func side(isSmall: Bool) -> Int? {
            if isSmall { return integer(5).map { 8 * ($0 + 1) } }
            guard let selector = integer(2) else { return nil }
            return integer([9, 13, 18, 30][selector]).map { $0 + 1 }
        }
    }
}
