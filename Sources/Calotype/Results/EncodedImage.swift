public import CalotypeCodecs
public import CalotypeCore
public import CalotypeLoading
public import FoundationEssentials

/// The encoded bytes of an image, with the properties in their header and their source.
public struct EncodedImage: Sendable {
    /// The bytes, as sent by the origin or as encoded for the request.
    public var data: Data

    /// The properties in the header: format, size, orientation.
    public var info: ImageInfo

    /// The source of the bytes.
    public var source: LoadedImage.Source

    /// The time the bytes were received or encoded; `nil` if unknown.
    public var receivedAt: Timestamp?

    /// The time the store stops serving the bytes; `nil` for never, or if no store has them.
    public var expiresAt: Timestamp?

    /// The URL of the response, after redirects, if the bytes were just received from the network or a file;
    /// `nil` otherwise.
    public var url: URL?

    /// True if HTTP calls the bytes, or the original they were encoded from, stale; see
    /// ``LoadedImage/isStale``.
    public var isStale = false

    /// The HTTP exchanges of the load, one per request; empty if the bytes were cached.
    public var transactions: [FetchTransaction] = []

    /// True if the bytes were encoded for this call, whatever the source of the original.
    package var isNew = false

    /// The HTTP freshness of the bytes; see ``cacheControl``.
    package var freshness = ClientFreshness.unknown

    /// The durations of the stages, if the bytes were just encoded or loaded.
    package var clock: StageClock?

    /// The error of writing to the store, if the request waited for the write.
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

    /// A strong entity tag of exactly these bytes, with quotes, for a server's own responses (RFC 9110
    /// §8.8.3).
    ///
    /// Consists of the XXH3 hash and the byte count. Computed at each access, at about 20 GB/s.
    public var entityTag: String {
        "\"\(String(data.contentHash, radix: 16))-\(String(data.count, radix: 16))\""
    }
}
