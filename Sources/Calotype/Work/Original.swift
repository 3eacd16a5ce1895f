internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The bytes behind a URL, as requests that ask for them at the same time share them.
struct Original: Sendable {
    /// The encoded bytes.
    var data: Data

    /// Where they came from.
    var source: LoadedImage.Source

    /// When they were received.
    var receivedAt: Timestamp?

    /// When the store stops serving them.
    var expiresAt: Timestamp?

    /// Whether anything that is made of them may be kept.
    var keeping = Keeping()

    /// Why they could not be kept, where the caller waited for that and it failed.
    var storeFailure: LoadError?

    /// What they were decoded to before they were kept: bytes that are no image never reach a store.
    var decoded: Decoded?

    /// What their header says, where only that was read before they were kept.
    var header: Header?

    /// The same, as it waits to be written: an image may take a hundred times the memory of its bytes.
    var withoutPixels: Original {
        var original = self
        original.decoded = nil
        return original
    }

    /// A header as it was read within limits.
    ///
    /// A class, like ``Decoded``: what an asynchronous function holds while it waits is on the heap, and an
    /// original is handed through many of them.
    final class Header: Sendable {
        let limits: DecodeLimits
        let info: ImageInfo

        init(limits: DecodeLimits, info: ImageInfo) {
            (self.limits, self.info) = (limits, info)
        }
    }

    /// An image and the recipe that made it.
    final class Decoded: Sendable {
        let recipe: DecodeRecipe
        let image: Image
        /// The size that the whole image has as it is shown, where the recipe made it smaller.
        let fullSize: PixelSize?

        init(recipe: DecodeRecipe, image: Image, fullSize: PixelSize? = nil) {
            (self.recipe, self.image, self.fullSize) = (recipe, image, fullSize)
        }
    }
}

/// What the keeping of something that was made of an original depends on.
struct Keeping: Sendable {
    /// Whether it may be kept; not where HTTP forbids it and is respected.
    var isAllowed = true
    /// The content that it was made of, where anybody has to know.
    var contentHash: UInt64?
}

/// Everything that the loading of an original depends on.
struct OriginalKey: Hashable, Sendable {
    let source: ImageKey
    let access: CachePolicy.Access
    let allowsLoading: Bool
    let byteCountMax: Int
    let httpCaching: HTTPCaching
    let alternatives: [URL]
    let ignoresPastFailure: Bool
    /// What the request says to caches, where that is heeded; its key does not tell.
    let cacheControl: String?

    init(source: String, request: ImageRequest) {
        self.source = ImageKey(source)
        access = request.cachePolicy.original
        allowsLoading = request.cachePolicy.allowsLoading
        byteCountMax = request.decoding.limits.byteCountMax
        httpCaching = request.httpCaching
        alternatives = request.alternatives
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

    init(key: ImageKey, request: ImageRequest) {
        self.key = key
        cachePolicy = request.cachePolicy
        limits = request.decoding.limits
        waitsForStore = request.waitsForStore
        original = OriginalKey(source: "", request: request)
    }
}

extension ImageRequest {
    /// The same request where the store's original is of no use.
    var withoutStoredOriginal: ImageRequest {
        var fresh = self
        fresh.cachePolicy.original = cachePolicy.original.writes ? .writeOnly : .none
        return fresh
    }

    /// Whether the bytes come from elsewhere, so that a copy in a store saves something.
    var isRemote: Bool { isPlain || !isLocalFile && url.scheme?.lowercased() != "data" }

    /// Whether the bytes are in a file of this machine; a URL without a scheme is a path.
    var isLocalFile: Bool { !isPlain && (url.scheme.map { $0.lowercased() == "file" } ?? true) }

    /// Whether the URL is known to be one of `http:` or `https:`, without taking it apart.
    private var isPlain: Bool { plainIdentity.value != nil }
}
