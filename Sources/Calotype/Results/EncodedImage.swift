public import CalotypeCodecs
public import CalotypeCore
public import CalotypeLoading
public import FoundationEssentials

/// The encoded bytes of an image, with what their header tells and where they came from.
public struct EncodedImage: Sendable {
    /// The bytes: as the origin sent them, or as the request's encoding made them.
    public var data: Data

    /// What their header tells: the format, the size, the orientation.
    public var info: ImageInfo

    /// Where they came from.
    public var source: LoadedImage.Source

    /// When they were received or made; `nil` where nobody kept it.
    public var receivedAt: Timestamp?

    /// When the store stops serving them; `nil` for never, or where they are in no store.
    public var expiresAt: Timestamp?

    /// The URL that answered, after redirects, where the bytes have just come from another machine, or from a
    /// file; `nil` otherwise.
    public var url: URL?

    /// Whether HTTP calls them stale, or what they were made of; see ``LoadedImage/isStale``.
    public var isStale = false

    /// What their load took over the network, each request for itself; empty where they were in a cache.
    public var transactions: [FetchTransaction] = []

    /// Whether they have just been made, of an original from wherever it came.
    package var isNew = false

    /// Their freshness by HTTP; see ``cacheControl``.
    package var freshness = ClientFreshness.unknown

    /// How long it took to make them, where they have just been made, or loaded.
    package var clock: StageClock?

    /// Why they could not be kept, where the request waited for that and it failed.
    public var storeFailure: LoadError?

    /// Creates a result.
    public init(
        data: Data,
        info: ImageInfo,
        source: LoadedImage.Source,
        receivedAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil,
        storeFailure: LoadError? = nil
    ) {
        self.data = data
        self.info = info
        self.source = source
        self.receivedAt = receivedAt
        self.expiresAt = expiresAt
        self.storeFailure = storeFailure
    }

    /// A strong entity tag of exactly these bytes, quotes included, for a server to send as its own (RFC 9110
    /// §8.8.3): their XXH3 and their number.
    ///
    /// Computed at each call, at some 20 GB/s.
    public var entityTag: String {
        "\"\(String(data.contentHash, radix: 16))-\(String(data.count, radix: 16))\""
    }
}
