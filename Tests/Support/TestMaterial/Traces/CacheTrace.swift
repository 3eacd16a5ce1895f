public import FoundationEssentials

/// A sequence of requests to a cache, as recorded or constructed elsewhere.
///
/// The file format is little-endian: `CTR1`, then as 32-bit integers a flag whether sizes follow (0 or 1),
/// the number of requests, the number of keys, the size of each key's object in bytes if sizes follow, and
/// the key of each request, from 0 in order of first appearance. Public for the benchmarks, which are a
/// package of their own (decision 0342).
public struct CacheTrace: Sendable {
    /// The size of each key's object: bytes, or 1 if the trace has no sizes.
    public let sizes: [Int]

    /// The key of each request, an index into ``sizes``.
    public let requests: [Int]

    /// Creates a trace of objects of size 1.
    ///
    /// - Parameter requests: Keys, numbered from 0.
    public init(requests: [Int]) {
        self.requests = requests
        sizes = Array(repeating: 1, count: (requests.max() ?? -1) + 1)
    }

    /// Parses a trace; `nil` if the bytes are not a complete trace.
    public init?(_ data: Data) {
        let bytes = [UInt8](data)
        func word(_ index: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(bytes[index * 4 + $1]) << ($1 * 8) }
        }
        guard bytes.count >= 16, bytes.starts(with: Array("CTR1".utf8)) else { return nil }
        let (isSized, requestCount, keyCount) = (word(1) != 0, word(2), word(3))
        let sizeCount = isSized ? keyCount : 0
        guard bytes.count == 4 * (4 + sizeCount + requestCount) else { return nil }
        sizes = isSized ? (0..<keyCount).map { word(4 + $0) } : Array(repeating: 1, count: keyCount)
        requests = (0..<requestCount).map { word(4 + sizeCount + $0) }
        guard requests.allSatisfy({ $0 < keyCount }) else { return nil }
    }

    /// The total size of all objects.
    public var footprint: Int { sizes.reduce(0, +) }
}

/// The hit ratios of a cache.
public struct HitRatios: Hashable, Sendable {
    /// The hits per request.
    public var object: Double

    /// The bytes of hits per requested byte.
    public var byte: Double

    /// Creates a pair of ratios, each 0...1.
    public init(object: Double, byte: Double) {
        self.object = object
        self.byte = byte
    }
}
