/// Which layers of the cache a request asks and fills, apart for the original bytes and for what is made of
/// them.
public struct CachePolicy: Hashable, Sendable {
    /// What a request may do with a layer.
    public enum Access: Hashable, Sendable {
        /// Neither ask nor fill.
        case none
        /// Ask, but do not fill.
        case readOnly
        /// Fill, but do not ask: what is there is replaced.
        case writeOnly
        /// Ask and fill.
        case readWrite

        /// Whether the layer is asked.
        public var reads: Bool { self == .readOnly || self == .readWrite }

        /// Whether the layer is filled.
        public var writes: Bool { self == .writeOnly || self == .readWrite }
    }

    /// The original bytes in the byte stores; local files and `data:` URLs are never copied there.
    public var original: Access

    /// The decoded variant in memory.
    public var variant: Access

    /// Whether a miss is loaded; where it is not, a miss is a ``LoadError`` with the code `notInCache`.
    public var allowsLoading: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - original: The original bytes in the byte stores.
    ///   - variant: The decoded variant in memory.
    ///   - allowsLoading: Whether a miss is loaded.
    public init(original: Access = .readWrite, variant: Access = .readWrite, allowsLoading: Bool = true) {
        self.original = original
        self.variant = variant
        self.allowsLoading = allowsLoading
    }

    /// Originals on disk, variants in memory; the default.
    public static let standard = CachePolicy()

    /// Load anew and replace what is cached.
    public static let refresh = CachePolicy(original: .writeOnly, variant: .writeOnly)

    /// Leave the disk alone.
    public static let memoryOnly = CachePolicy(original: .none)

    /// Leave every cache alone.
    public static let disabled = CachePolicy(original: .none, variant: .none)

    /// Answer from the caches or not at all.
    public static let onlyFromCache = CachePolicy(allowsLoading: false)
}
