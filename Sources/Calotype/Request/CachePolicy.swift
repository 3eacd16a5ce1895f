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

    /// The variant in memory: decoded for an image, encoded for data.
    public var variant: Access

    /// The encoded variant in the byte stores; `nil`, the default, is as ``original`` where the request names
    /// an encoding, else ``Access/none``.
    ///
    /// A variant without an encoding is kept losslessly, as PNG, so that its pixels do not change from one
    /// run to the next. One that is the original itself is never kept twice.
    public var variantOnDisk: Access?

    /// Whether a miss is loaded; where it is not, a miss is a ``LoadError`` with the code `notInCache`.
    public var allowsLoading: Bool

    /// Whether the origin is asked also where a cache has the image; false unless set.
    ///
    /// It is asked whether anything has changed, where it has said by what that is known (`ETag`,
    /// `Last-Modified`), and answers in a few bytes where nothing has. Where it cannot be reached, what is
    /// cached stands in, marked ``LoadedImage/isStale``.
    public var alwaysValidates: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - original: The original bytes in the byte stores.
    ///   - variant: The variant in memory.
    ///   - variantOnDisk: The encoded variant in the byte stores.
    ///   - allowsLoading: Whether a miss is loaded.
    ///   - alwaysValidates: Whether the origin is asked also where a cache has the image.
    public init(
        original: Access = .readWrite,
        variant: Access = .readWrite,
        variantOnDisk: Access? = nil,
        allowsLoading: Bool = true,
        alwaysValidates: Bool = false
    ) {
        self.original = original
        self.variant = variant
        self.variantOnDisk = variantOnDisk
        self.allowsLoading = allowsLoading
        self.alwaysValidates = alwaysValidates
    }

    /// Originals on disk, variants in memory; the default.
    public static let standard = CachePolicy()

    /// Load anew and replace what is cached.
    public static let refresh = CachePolicy(original: .writeOnly, variant: .writeOnly)

    /// What is cached at once, then what the origin has now.
    ///
    /// ``ImagePipeline/events(for:priority:previews:)`` and slots get what is cached as a preview, and then
    /// the result. A call with one answer gets the result.
    public static let cachedThenFresh = CachePolicy(alwaysValidates: true)

    /// Leave the disk alone.
    public static let memoryOnly = CachePolicy(original: .none)

    /// Leave every cache alone.
    public static let disabled = CachePolicy(original: .none, variant: .none)

    /// Answer from the caches or not at all.
    public static let onlyFromCache = CachePolicy(allowsLoading: false)
}
