package import FoundationEssentials

/// Truncated and altered copies of a file, for tests of decoders.
package enum Damage {
    /// Returns byte counts to which a file is cut: 64 spread over the file, and up to 16 near its end.
    package static func cuts(of data: Data) -> [Int] {
        let spread = (0..<64).map { data.count * $0 / 64 }
        return spread + (1...16).prefix(data.count).map { data.count - $0 }
    }
}

extension Data {
    /// Returns a copy with flipped bits at random positions within a range of bytes, by default all of them.
    package func flippingBits(
        _ bitCount: Int,
        in range: Range<Int>? = nil,
        using random: inout SeededGenerator
    ) -> Data {
        var damaged = [UInt8](self)
        let range = range ?? 0..<count
        for _ in 0..<bitCount {
            let bit = Int.random(in: range.lowerBound * 8..<range.upperBound * 8, using: &random)
            damaged[bit / 8] ^= 1 << (bit % 8)
        }
        return Data(damaged)
    }
}
