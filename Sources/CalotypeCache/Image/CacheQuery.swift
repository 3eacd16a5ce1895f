public import CalotypeCodecs
public import CalotypeCore
public import FoundationEssentials

/// What a query asks of an image cache.
public struct CacheQuery: Hashable, Sendable {
    /// A kind of image.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// More than one frame.
        case animated
        /// One frame.
        case still
    }

    /// Whether a decoded image in memory answers; true unless set.
    public var asksMemory: Bool
    /// Whether the byte stores are asked; true unless set.
    public var asksStores: Bool
    /// Whether an image found in a store is kept in memory; true unless set.
    public var fillsMemory: Bool
    /// Whether the encoded bytes are wanted too, also on a memory hit where a store has them; false unless
    /// set.
    public var wantsData: Bool
    /// The kind of image that answers; `nil`, the default, for any.
    ///
    /// What is kept counts, not what is made of it. An image of the other kind in memory is passed over for
    /// the stores; one in a store is a miss, found out from its header.
    public var requiredKind: Kind?
    /// Whether all frames of an animated image are decoded, and held, before it answers; false unless set.
    ///
    /// Its cost in memory is then that of all frames. Where ``decoding`` asks for the first frame only, there
    /// is nothing to hold.
    public var preloadsFrames: Bool
    /// How an image from a store is decoded.
    ///
    /// An image in memory that was stored, or decoded whole, answers as it is; where only the first frame is
    /// wanted an animated one answers with that, and stays. One that another query has had decoded smaller,
    /// or its first frame only, answers the queries that ask for the very same; others pass it over for the
    /// stores, and what they find takes its place.
    public var decoding: DecodeOptions

    /// Creates a query; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - asksMemory: Whether a decoded image in memory answers.
    ///   - asksStores: Whether the byte stores are asked.
    ///   - fillsMemory: Whether an image found in a store is kept in memory.
    ///   - wantsData: Whether the encoded bytes are wanted too.
    ///   - requiredKind: The kind of image that answers.
    ///   - preloadsFrames: Whether all frames of an animated image are decoded and held.
    ///   - decoding: How an image from a store is decoded.
    public init(
        asksMemory: Bool = true,
        asksStores: Bool = true,
        fillsMemory: Bool = true,
        wantsData: Bool = false,
        requiredKind: Kind? = nil,
        preloadsFrames: Bool = false,
        decoding: DecodeOptions = DecodeOptions()
    ) {
        self.asksMemory = asksMemory
        self.asksStores = asksStores
        self.fillsMemory = fillsMemory
        self.wantsData = wantsData
        self.requiredKind = requiredKind
        self.preloadsFrames = preloadsFrames
        self.decoding = decoding
    }

    /// Whether an image of a kind may answer.
    func accepts(_ kind: Kind) -> Bool { requiredKind == nil || requiredKind == kind }
}

/// The answer of an image cache; a miss is not an error.
public enum CacheAnswer: Sendable {
    /// The image was in memory; the bytes are those of the nearest store that has them, where they were asked
    /// for and no failure stood in the way.
    case memory(Image, data: Data?)
    /// The image was decoded from the bytes of the store with this name.
    case store(Image, name: String, data: Data)
    /// It is in none of the layers that were asked.
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
    /// Whether it is animated.
    var kind: CacheQuery.Kind { animation == nil ? .still : .animated }
}
