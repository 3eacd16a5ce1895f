internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The parameters that determine the load of an original.
struct OriginalKey: Hashable, Sendable {
    let source: ImageKey
    let access: CachePolicy.Access
    let allowsLoading: Bool
    let maxByteCount: Int
    /// The treatment of a damaged image, on which it depends whether the load fails.
    let damage: DecodeOptions.Damage
    /// The time limit of the decode, on which that depends too.
    let maxDuration: Duration
    let httpCaching: HTTPCaching
    let alternatives: [URL]
    /// The request's own URL, if requests for other URLs must not share the work.
    let ownURL: URL?
    let ignoresPastFailure: Bool
    /// True if the origin is always queried.
    let alwaysRevalidates: Bool
    /// The `Cache-Control` of the request, if it is respected; the source does not include it.
    let cacheControl: String?
    /// The number of the latest removal or replacement: a caller after one of them never joins a load that
    /// started before it.
    let renewal: Int
    /// Other parameters of the load; empty for nearly all.
    let fetchParts: [String]

    init(source: String, request: ImageRequest, renewal: Int) {
        self.renewal = renewal
        fetchParts = request.optionsBox?.options.fetchParts ?? []
        self.source = ImageKey(source)
        access = request.cachePolicy.original
        allowsLoading = request.cachePolicy.allowsLoading
        alwaysRevalidates = request.alwaysRevalidates
        maxByteCount = request.decoding.limits.maxByteCount
        damage = request.decoding.damage
        maxDuration = request.decoding.limits.maxDuration
        httpCaching = request.httpCaching
        alternatives = request.alternatives
        ownURL = request.isAskedAlone ? request.url : nil
        ignoresPastFailure = request.ignoresPastFailure
        cacheControl = httpCaching == .respectsHTTP ? request.headers.cacheControl : nil
    }
}

/// The parameters that determine a variant.
struct VariantKey: Hashable, Sendable {
    let key: ImageKey
    let cachePolicy: CachePolicy
    let limits: DecodeLimits
    let waitsForStore: Bool
    let original: OriginalKey

    init(key: ImageKey, request: ImageRequest, renewal: Int) {
        self.key = key
        cachePolicy = request.cachePolicy
        limits = request.decoding.limits
        waitsForStore = request.waitsForStore
        original = OriginalKey(source: "", request: request, renewal: renewal)
    }
}

typealias OriginalWork = SharedWork<OriginalKey, Original, Transfer>
typealias VariantWork = SharedWork<VariantKey, LoadedImage, VariantStatus>
typealias EncodedWork = SharedWork<VariantKey, EncodedVariant, VariantStatus>
