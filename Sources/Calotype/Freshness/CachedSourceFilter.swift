internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeSupport

/// The set of sources that may have values in memory; has false positives, but no false negatives.
///
/// A Bloom filter with one hash function over source addresses. It avoids walking all of memory for new
/// sources, which most loaded ones are. A source without values in memory stays in the filter until the
/// filter is rebuilt from the keys in memory, after a number of insertions.
struct CachedSourceFilter: Sendable {
    private static let bitCount = 1 << 20
    /// A tenth of the bits.
    static let maxInsertionCount = bitCount / 10

    private var words = Self.none
    /// The table being built, during a rebuild.
    private var next: [UInt64]?
    private var insertionCount = 0
    /// The bits of the sources of which values are being inserted; one for each thread that does so.
    private var inserting: [Int] = []

    private static var none: [UInt64] { [UInt64](repeating: 0, count: bitCount / 64) }

    /// Adds a source before a value of it is inserted into memory; ``endInsertion(_:)`` must follow.
    ///
    /// - Returns: True if it is time to rebuild the table: ``begin()``, ``note(_:)`` for all keys in memory,
    ///   ``end()``.
    mutating func beginInsertion(_ source: String) -> Bool {
        let bit = mark(source)
        inserting.append(bit)
        insertionCount += 1
        return insertionCount >= Self.maxInsertionCount && next == nil
    }

    /// Adds a source again after the insertion, because the table may have been rebuilt in between.
    mutating func endInsertion(_ source: String) {
        let bit = mark(source)
        if let index = inserting.firstIndex(of: bit) { inserting.remove(at: index) }
    }

    private mutating func mark(_ source: String) -> Int {
        let bit = Self.bit(of: ImageKey(source))
        words[bit / 64] |= 1 << UInt64(bit % 64)
        next?[bit / 64] |= 1 << UInt64(bit % 64)
        return bit
    }

    /// True if the source may have values in memory.
    func mayContain(_ source: String) -> Bool {
        let bit = Self.bit(of: ImageKey(source))
        return words[bit / 64] & 1 << UInt64(bit % 64) != 0 || inserting.contains(bit)
    }

    /// True if a value of the source may be in the middle of its insertion: in memory, but removed again if
    /// its source has other content by now.
    func isInserting(_ source: String) -> Bool {
        !inserting.isEmpty && inserting.contains(Self.bit(of: ImageKey(source)))
    }

    /// Starts a new table beside the old one; returns false if a rebuild is in progress.
    mutating func begin() -> Bool {
        guard next == nil else { return false }
        (next, insertionCount) = (Self.none, 0)
        return true
    }

    /// Adds a key that is in memory to the new table.
    mutating func note(_ key: ImageKey) {
        let bit = Self.bit(of: key)
        next?[bit / 64] |= 1 << UInt64(bit % 64)
    }

    /// Replaces the old table by the new one.
    mutating func end() {
        words = next ?? words
        next = nil
    }

    private static func bit(of key: ImageKey) -> Int {
        Int(UInt(bitPattern: key.sourceAddress.hashValue) % UInt(bitCount))
    }
}
