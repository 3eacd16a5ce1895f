/// Of which sources something may be in memory: may err on the side of yes, never of no.
///
/// A table of bits, by the hash of the source (a Bloom filter with one hash function). It spares the walk
/// over all of memory for what is new, which most that is loaded is.
struct KeptSources: Sendable {
    private static let bitCount = 1 << 20
    private var words = [UInt64](repeating: 0, count: bitCount / 64)

    /// Notes that something of a source is put into memory.
    mutating func insert(_ source: String) {
        let bit = Self.bit(of: source)
        words[bit / 64] |= 1 << UInt64(bit % 64)
    }

    /// Whether something of a source may have been put there.
    func mayContain(_ source: String) -> Bool {
        let bit = Self.bit(of: source)
        return words[bit / 64] & 1 << UInt64(bit % 64) != 0
    }

    private static func bit(of source: String) -> Int {
        Int(UInt(bitPattern: source.hashValue) % UInt(bitCount))
    }
}
