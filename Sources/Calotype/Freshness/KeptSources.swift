internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeSupport

/// Of which sources something may be in memory: may err on the side of yes, never of no.
///
/// A table of bits, by the hash of the source's address (a Bloom filter with one hash function). It spares
/// the walk over all of memory for what is new, which most that is loaded is. What has left memory leaves the
/// table when it is made anew, of what is there, after a number of insertions.
struct KeptSources: Sendable {
    private static let bitCount = 1 << 20
    /// A tenth of the bits.
    static let insertionCountMax = bitCount / 10

    private var words = Self.none
    /// The table that is being made, where one is.
    private var next: [UInt64]?
    private var insertionCount = 0

    private static var none: [UInt64] { [UInt64](repeating: 0, count: bitCount / 64) }

    /// Notes that something of a source is put into memory.
    ///
    /// - Returns: Whether it is time to make the table anew: ``begin()``, ``note(_:)`` of all keys in memory,
    ///   ``end()``.
    mutating func insert(_ source: String) -> Bool {
        mark(source)
        insertionCount += 1
        return insertionCount >= Self.insertionCountMax && next == nil
    }

    /// Notes once more that something of a source is in memory: the table may have been made anew between
    /// the first note and the insertion.
    mutating func mark(_ source: String) {
        let bit = Self.bit(of: ImageKey(source))
        words[bit / 64] |= 1 << UInt64(bit % 64)
        next?[bit / 64] |= 1 << UInt64(bit % 64)
    }

    /// Whether something of a source may have been put there.
    func mayContain(_ source: String) -> Bool {
        let bit = Self.bit(of: ImageKey(source))
        return words[bit / 64] & 1 << UInt64(bit % 64) != 0
    }

    /// Begins a new table beside the old one; false where one has been begun already.
    mutating func begin() -> Bool {
        guard next == nil else { return false }
        (next, insertionCount) = (Self.none, 0)
        return true
    }

    /// Notes a key that is in memory.
    mutating func note(_ key: ImageKey) {
        let bit = Self.bit(of: key)
        next?[bit / 64] |= 1 << UInt64(bit % 64)
    }

    /// Puts the new table in the place of the old one.
    mutating func end() {
        words = next ?? words
        next = nil
    }

    private static func bit(of key: ImageKey) -> Int {
        Int(UInt(bitPattern: key.sourceAddress.hashValue) % UInt(bitCount))
    }
}

extension ImagePipeline {
    /// Makes the table of kept sources anew, where memory can be walked.
    func forgetSourcesThatLeft() {
        guard let decoded = cache.memory as? MemoryCache<ImageKey, Image>,
            keptSources.withLock({ $0.begin() })
        else { return }
        for key in decoded.keys + encodedMemory.keys { keptSources.withLock { $0.note(key) } }
        keptSources.withLock { $0.end() }
    }
}
