/// The cache layers that a request reads and writes, separately for the original bytes and for variants.
public struct CachePolicy: Hashable, Sendable {
    /// The access of a request to a layer.
    public enum Access: Hashable, Sendable {
        /// Neither read nor write.
        case none
        /// Read, but do not write.
        case readOnly
        /// Write, but do not read: an existing entry is replaced.
        case writeOnly
        /// Read and write.
        case readWrite

        /// True if the layer is read.
        public var reads: Bool { self == .readOnly || self == .readWrite }

        /// True if the layer is written.
        public var writes: Bool { self == .writeOnly || self == .readWrite }
    }

    /// The access to original bytes in the byte stores; local files and `data:` URLs are never copied there.
    public var original: Access

    /// The access to the variant in memory: decoded for an image, encoded for data.
    public var variant: Access

    /// The access to the encoded variant in the byte stores; `nil`, the default, for that of ``original`` if
    /// the request has an encoding, else ``Access/none``.
    ///
    /// A variant without an encoding is stored losslessly, as PNG, so that its pixels do not change between
    /// runs. One with metadata or a gain map, which PNG cannot hold, is not stored without an encoding. A
    /// variant that is the original itself is never stored twice.
    public var variantOnDisk: Access?

    /// True to load on a miss; otherwise a miss is a ``LoadError`` with the code `notInCache`.
    public var allowsLoading: Bool

    /// True to query the origin even if a cache has the image; false unless set.
    ///
    /// The query is conditional if the origin sent a validator (`ETag`, `Last-Modified`), and then takes a
    /// few bytes if nothing has changed. If the origin cannot be reached, the cached image is used and marked
    /// ``LoadedImage/isStale``.
    public var alwaysRevalidates: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - original: The access to original bytes in the byte stores.
    ///   - variant: The access to the variant in memory.
    ///   - variantOnDisk: The access to the encoded variant in the byte stores.
    ///   - allowsLoading: True to load on a miss.
    ///   - alwaysRevalidates: True to query the origin even if a cache has the image.
    public init(
        original: Access = .readWrite,
        variant: Access = .readWrite,
        variantOnDisk: Access? = nil,
        allowsLoading: Bool = true,
        alwaysRevalidates: Bool = false
    ) {
        self.original = original
        self.variant = variant
        self.variantOnDisk = variantOnDisk
        self.allowsLoading = allowsLoading
        self.alwaysRevalidates = alwaysRevalidates
    }

    /// Originals on disk, variants in memory; the default.
    public static let standard = CachePolicy()

    /// Loads again and replaces cached entries.
    public static let refresh = CachePolicy(original: .writeOnly, variant: .writeOnly)

    /// The cached image at once, then the origin's current one.
    ///
    /// ``ImagePipeline/events(for:priority:previews:)`` and slots deliver the cached image as a preview, and
    /// then the result. A call with one result returns the current image.
    public static let cachedThenFresh = CachePolicy(alwaysRevalidates: true)

    /// Does not use the byte stores.
    public static let memoryOnly = CachePolicy(original: .none)

    /// Uses no cache.
    public static let disabled = CachePolicy(original: .none, variant: .none)

    /// Returns cached images only and never loads.
    public static let onlyFromCache = CachePolicy(allowsLoading: false)
}
