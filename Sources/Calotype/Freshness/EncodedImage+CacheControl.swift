internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading

extension EncodedImage {
    /// The freshness of a result, as far as the pipeline knows it.
    package enum ClientFreshness: Hashable, Sendable {
        /// HTTP's freshness was not respected, or the bytes are not from HTTP.
        case unknown
        /// The origin forbids storing.
        case notStorable
        /// The origin's response says so.
        case relayed(RelayedFreshness)
    }

    /// The value of `Cache-Control` for a server to send with these bytes, beside ``entityTag``.
    ///
    /// For a request with `HTTPCaching.respectsHTTP` the value follows the origin's response: `public,
    /// max-age=` with the seconds that are left at the time of the load, `must-revalidate`, `private` (also
    /// for a request with `Authorization`, `Cookie`, or a user or password in its URL, and if the loader adds
    /// what its `DataLoader.cacheIdentity(for:)` names), and `no-store` if the origin forbids storing.
    /// Otherwise it is `no-cache`: clients may store the bytes and validate them with the entity tag before
    /// each use.
    public var cacheControl: String {
        switch freshness {
        case .unknown: "no-cache"
        case .notStorable: "no-store"
        case .relayed(let relayed): relayed.cacheControl
        }
    }
}
