public import CalotypeCodecs
public import CalotypeCore
public import FoundationEssentials

/// The options of a query to an image cache.
public struct CacheQuery: Hashable, Sendable {
    /// A kind of image.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// More than one frame.
        case animated
        /// One frame.
        case still
    }

    /// Whether to look for a decoded image in memory; true unless set.
    public var readsMemory: Bool
    /// Whether to query the byte stores; true unless set.
    public var readsStores: Bool
    /// Whether to store an image found in a byte store in memory; true unless set.
    public var fillsMemory: Bool
    /// Whether to return the encoded bytes too, also on a memory hit if a store has them; false unless set.
    public var includesData: Bool
    /// The kind of image to return; `nil`, the default, for any.
    ///
    /// The kind of the stored image counts, not that of the decoded result. An image of the other kind in
    /// memory is skipped and the stores are queried; one in a store is a miss, as its header shows.
    public var requiredKind: Kind?
    /// Whether to decode and hold all frames of an animated image before returning it; false unless set.
    ///
    /// The image's cost in memory is then that of all frames. No frames are held if ``decoding`` requests the
    /// first frame only.
    public var preloadsFrames: Bool
    /// The options for decoding an image from a store.
    ///
    /// An image in memory that was stored by the caller, or decoded whole, is returned as it is; for a query
    /// of the first frame only, an animated image returns that frame and stays in memory. An image that a
    /// query has decoded smaller, or its first frame only, is returned to queries with the same options.
    /// Other queries skip it, and what they decode from the stores replaces it.
    public var decoding: DecodeOptions

    /// Creates a query; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - readsMemory: Whether to look for a decoded image in memory.
    ///   - readsStores: Whether to query the byte stores.
    ///   - fillsMemory: Whether to store an image found in a byte store in memory.
    ///   - includesData: Whether to return the encoded bytes too.
    ///   - requiredKind: The kind of image to return.
    ///   - preloadsFrames: Whether to decode and hold all frames of an animated image.
    ///   - decoding: The options for decoding an image from a store.
    public init(
        readsMemory: Bool = true,
        readsStores: Bool = true,
        fillsMemory: Bool = true,
        includesData: Bool = false,
        requiredKind: Kind? = nil,
        preloadsFrames: Bool = false,
        decoding: DecodeOptions = DecodeOptions()
    ) {
        self.readsMemory = readsMemory
        self.readsStores = readsStores
        self.fillsMemory = fillsMemory
        self.includesData = includesData
        self.requiredKind = requiredKind
        self.preloadsFrames = preloadsFrames
        self.decoding = decoding
    }

    func accepts(_ kind: Kind) -> Bool { requiredKind == nil || requiredKind == kind }
}

/// The result of a query to an image cache; a miss is not an error.
public enum CacheResult: Sendable {
    /// The image was in memory.
    ///
    /// The bytes, if requested, come from the nearest store that has them; they are `nil` if no store does or
    /// a store failed.
    case memory(Image, data: Data?)
    /// The image was decoded from the bytes of the store with this name.
    case store(Image, name: String, data: Data)
    /// None of the queried layers has the image.
    case miss

    /// The image, or `nil` for a miss.
    public var image: Image? {
        switch self {
        case .memory(let image, _), .store(let image, _, _): image
        case .miss: nil
        }
    }
}

extension Image {
    var kind: CacheQuery.Kind { animation == nil ? .still : .animated }
}
