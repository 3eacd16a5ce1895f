/// Writes integers of a few bits each, least significant bit first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    /// Appends the lowest bits of a number.
    mutating func write(_ number: Int, bitCount count: Int) {
        for bit in 0..<count {
            if bitCount % 8 == 0 { bytes.append(0) }
            bytes[bitCount / 8] |= UInt8(number >> bit & 1) << (bitCount % 8)
            bitCount += 1
        }
    }

    /// Appends a number clamped to 0...1, as a fraction of the largest integer of that many bits.
    mutating func write(fraction: Double, bitCount count: Int) {
        let most = Double(1 << count - 1)
        write(Int((min(1, max(0, fraction)) * most).rounded()), bitCount: count)
    }
}

/// Reads the output of ``BitWriter``.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the next integer; `nil` if too few bits are left.
    mutating func read(bitCount: Int) -> Int? {
        guard position + bitCount <= bytes.count * 8 else { return nil }
        let number = (0..<bitCount).reduce(0) { number, bit in
            let place = position + bit
            return number | Int(bytes[place / 8] >> (place % 8) & 1) << bit
        }
        position += bitCount
        return number
    }

    /// Reads the next integer as a fraction of the largest of that many bits.
    mutating func fraction(bitCount: Int) -> Double? {
        read(bitCount: bitCount).map { Double($0) / Double(1 << bitCount - 1) }
    }

    /// The number of bytes read, including a partial one.
    var byteCount: Int { (position + 7) / 8 }
}
