internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The bytes behind a URL, shared by concurrent requests.
struct Original: Sendable {
    /// The encoded bytes.
    var data: Data

    /// The source of the bytes.
    var source: LoadedImage.Source

    /// The URL of the response, if the bytes were loaded just now.
    var url: URL?

    /// True if HTTP calls the bytes stale, and they are used during revalidation or for a failed origin.
    var isStale = false

    /// The HTTP exchanges of the load.
    var transactions: [FetchTransaction] = []

    /// The time the bytes were received.
    var receivedAt: Timestamp?

    /// The time the store stops serving the bytes.
    var expiresAt: Timestamp?

    /// The permission to cache values made from the bytes.
    var cacheability = Cacheability()

    /// The error of writing to the store, if the caller waited for the write.
    var storeFailure: LoadError?

    /// The image, decoded before the bytes are stored: bytes that are not an image never reach a store.
    var decoded: Decoded?

    /// The header, if only the header was read before the bytes are stored.
    var header: Header?

    /// The budget of the bytes, released as soon as they have been decoded.
    var hold: SharedHold?

    /// A decode that exceeded a limit, for callers with the same recipe.
    var decodeFailure: DecodeFailure?

    /// The durations of the stages; `nil` if a store had the bytes.
    var clock: StageClock?

    /// The end of the time in which the bytes stand in for a failing origin, if they do.
    var standsInUntil: Timestamp?

    /// True if the bytes were decoded, or their header was read.
    var isKnownImage: Bool { decoded != nil || header != nil }

    /// The original while it waits to be written, without its image and its budget.
    ///
    /// An image may take a hundred times the memory of its bytes, and a hanging store must not block other
    /// loads.
    var whileWritten: Original {
        var original = self
        original.decoded = nil
        original.hold = nil
        return original
    }

    /// The original for later callers when it may not be held for them: none of them accepts it.
    var unusable: Original {
        var original = whileWritten
        original.data = Data()
        original.standsInUntil = Timestamp(nanosecondsSince1970: .min)
        return original
    }

    /// Sets the number of callers that get the original; each of them releases it once.
    func noteHolders(_ count: Int) {
        hold?.noteHolders(count)
        decoded?.making?.noteHolders(count)
    }

    /// Releases the budget of the bytes, once for each holder.
    mutating func release() {
        hold?.end()
        hold = nil
    }

    /// Releases the decoded image, once for each holder.
    mutating func releaseDecoded() {
        decoded?.making?.end()
        decoded = nil
    }

    /// A decode that exceeded a limit of time or memory, which a smaller result might not.
    final class DecodeFailure: Sendable {
        let recipe: DecodeRecipe
        let error: LoadError

        init(_ recipe: DecodeRecipe, _ error: LoadError) {
            (self.recipe, self.error) = (recipe, error)
        }
    }

    /// A header that was read within limits.
    ///
    /// A class, like ``Decoded``: asynchronous functions keep their values on the heap while they wait, and
    /// an original passes through many of them.
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
        /// The displayed size of the whole image, if the recipe made it smaller.
        let fullSize: PixelSize?
        /// The permits and the budget of the image, if they are limited.
        let making: Making?

        init(
            recipe: DecodeRecipe,
            image: Image,
            fullSize: PixelSize? = nil,
            making: Making? = nil
        ) {
            self.recipe = recipe
            self.image = image
            self.fullSize = fullSize
            self.making = making
        }
    }
}

/// The permission to cache a value made from an original, with the facts that it depends on.
struct Cacheability: Sendable {
    /// True if the value may be cached; false if HTTP forbids it and is respected.
    var isAllowed = true
    /// The hash of the content that the value was made from, if it has to be known.
    var contentHash: UInt64?
    /// The ticket of the load: if it was revoked, the value is not cached.
    var ticket: LoadTicket?
    /// The expiry in memory, if the request sets one.
    var expiry: Expiry?
    /// The intermediate image that the value was made from.
    ///
    /// If it has left memory, the source may have other content.
    var intermediate: Intermediate?

    /// An image in memory that another one is made from.
    struct Intermediate: Sendable {
        let key: ImageKey
        let image: Image

        init(_ key: ImageKey, _ image: Image) {
            (self.key, self.image) = (key, image)
        }
    }
}

/// The parameters that determine the load of an original.
struct OriginalKey: Hashable, Sendable {
    let source: ImageKey
    let access: CachePolicy.Access
    let allowsLoading: Bool
    let byteCountMax: Int
    let httpCaching: HTTPCaching
    let alternatives: [URL]
    /// The request's own URL, if requests for other URLs must not share the work.
    let ownURL: URL?
    let ignoresPastFailure: Bool
    /// True if the origin is always queried.
    let alwaysValidates: Bool
    /// The `Cache-Control` of the request, if it is respected; the source does not include it.
    let cacheControl: String?
    /// The number of removals so far: a caller after a removal never joins a load that started before it.
    let removalCount: Int
    /// Other parameters of the load; empty for nearly all.
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

/// The parameters that determine a variant.
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

extension ImageRequest {
    /// The request without reading the original from the stores.
    var withoutStoredOriginal: ImageRequest {
        var fresh = self
        fresh.cachePolicy.original = cachePolicy.original.writes ? .writeOnly : .none
        return fresh
    }

    /// True if the origin is queried even if a cache has the image.
    var alwaysValidates: Bool { cachePolicy.alwaysValidates && cachePolicy.allowsLoading && isRemote }

    /// True if the content of the original has to be known.
    var heedsContent: Bool { httpCaching == .respectsHTTP || alwaysValidates }

    /// True if the bytes come from elsewhere, so that a stored copy saves a load.
    var isRemote: Bool { isPlain || !isLocalFile && url.scheme?.lowercased() != "data" }

    /// True if the bytes are in a local file.
    var isLocalFile: Bool { !isPlain && url.scheme?.lowercased() == "file" }

    /// True if the URL is known to be `http:` or `https:`, without parsing it.
    private var isPlain: Bool { plainIdentity.value != nil }
}
