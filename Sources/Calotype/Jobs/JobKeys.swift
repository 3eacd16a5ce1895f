internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// Everything that the loading of an original depends on.
struct OriginalKey: Hashable, Sendable {
    let source: ImageKey
    let access: CachePolicy.Access
    let allowsLoading: Bool
    let byteCountMax: Int
    let httpCaching: HTTPCaching
    let alternatives: [URL]
    /// The request's own URL, where nobody who asks by another is to share the work.
    let ownURL: URL?
    let ignoresPastFailure: Bool
    /// Whether the origin is asked in any case.
    let alwaysValidates: Bool
    /// What the request says to caches, where that is heeded; its key does not tell.
    let cacheControl: String?
    /// How often it has been removed while it is loaded: whoever asks after a removal gets nothing that began
    /// before it.
    let removalCount: Int
    /// What else its load depends on; empty for nearly all.
    let fetchParts: [String]

    init(source: String, request: ImageRequest, removalCount: Int) {
        self.removalCount = removalCount
        fetchParts = request.optionsBox?.options.fetchParts ?? []
        self.source = ImageKey(source)
        access = request.cachePolicy.original
        allowsLoading = request.cachePolicy.allowsLoading
        alwaysValidates = request.alwaysValidates
        byteCountMax = request.decoding.limits.byteCountMax
        httpCaching = request.httpCaching
        alternatives = request.alternatives
        ownURL = request.isAskedAlone ? request.url : nil
        ignoresPastFailure = request.ignoresPastFailure
        cacheControl = httpCaching == .respectsHTTP ? request.headers.cacheControl : nil
    }
}

/// Everything that the making of a variant depends on.
struct VariantKey: Hashable, Sendable {
    let key: ImageKey
    let cachePolicy: CachePolicy
    let limits: DecodeLimits
    let waitsForStore: Bool
    let original: OriginalKey

    init(key: ImageKey, request: ImageRequest, removalCount: Int) {
        self.key = key
        cachePolicy = request.cachePolicy
        limits = request.decoding.limits
        waitsForStore = request.waitsForStore
        original = OriginalKey(source: "", request: request, removalCount: removalCount)
    }
}
