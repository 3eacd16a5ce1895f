internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import FoundationEssentials

/// The bytes behind a URL, as requests that ask for them at the same time share them.
struct Original: Sendable {
    /// The encoded bytes.
    var data: Data

    /// Where they came from.
    var source: LoadedImage.Source

    /// Why they could not be kept, where the request waited for that and it failed.
    var storeFailure: LoadError?

    /// What they were decoded to before they were kept: bytes that are no image never reach a store.
    var decoded: Decoded?

    /// An image and the variant that it is.
    struct Decoded: Sendable {
        var key: ImageKey
        var image: Image
    }
}

/// Everything that the loading of an original depends on.
struct OriginalKey: Hashable, Sendable {
    let source: String
    let access: CachePolicy.Access
    let allowsLoading: Bool
    let byteCountMax: Int
    let waitsForStore: Bool

    init(source: String, request: ImageRequest) {
        self.source = source
        access = request.cachePolicy.original
        allowsLoading = request.cachePolicy.allowsLoading
        byteCountMax = request.decoding.limits.byteCountMax
        waitsForStore = request.waitsForStore
    }
}

/// Everything that the making of a variant depends on.
struct VariantKey: Hashable, Sendable {
    let key: ImageKey
    let cachePolicy: CachePolicy
    let limits: DecodeLimits
    let waitsForStore: Bool

    init(key: ImageKey, request: ImageRequest) {
        self.key = key
        cachePolicy = request.cachePolicy
        limits = request.decoding.limits
        waitsForStore = request.waitsForStore
    }
}
