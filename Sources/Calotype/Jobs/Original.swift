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

    /// The URL that answered, where they were loaded just now.
    var url: URL?

    /// Whether HTTP calls them stale, and they are used meanwhile or in place of what could not be had.
    var isStale = false

    /// What their load took.
    var transactions: [FetchTransaction] = []

    /// When they were received.
    var receivedAt: Timestamp?

    /// When the store stops serving them.
    var expiresAt: Timestamp?

    /// Whether anything that is made of them may be kept.
    var cacheability = Cacheability()

    /// Why they could not be kept, where the caller waited for that and it failed.
    var storeFailure: LoadError?

    /// What they were decoded to before they were kept: bytes that are no image never reach a store.
    var decoded: Decoded?

    /// What their header says, where only that was read before they were kept.
    var header: Header?

    /// The budget of the bytes, released as soon as they have been decoded.
    var hold: SharedHold?

    /// A decode that took too long, for those who want the same.
    var decodeFailure: DecodeFailure?

    /// How long it took to have it; `nil` where a store had it.
    var clock: StageClock?

    /// Until when it stands in for an origin that fails, where it does.
    var standsInUntil: Timestamp?

    /// Whether it has been decoded, or its header read.
    var isKnownImage: Bool { decoded != nil || header != nil }

    /// The same, as it waits to be written: an image may take a hundred times the memory of its bytes, and
    /// a store that hangs must not keep others from loading.
    var whileWritten: Original {
        var original = self
        original.decoded = nil
        original.hold = nil
        return original
    }

    /// The same for callers that come later where it may not be held for them: none of them takes it.
    var unusable: Original {
        var original = whileWritten
        original.data = Data()
        original.standsInUntil = Timestamp(nanosecondsSince1970: .min)
        return original
    }

    /// Notes how many callers get it: each of them releases it for itself.
    func noteHolders(_ count: Int) {
        hold?.noteHolders(count)
        decoded?.making?.noteHolders(count)
    }

    /// Releases the budget of the bytes, once for each holder.
    mutating func release() {
        hold?.end()
        hold = nil
    }

    /// Releases what it was decoded to, once for each holder.
    mutating func releaseDecoded() {
        decoded?.making?.end()
        decoded = nil
    }

    /// A decode that ended at a limit of time or memory, which may be in reach of a smaller result.
    final class DecodeFailure: Sendable {
        let recipe: DecodeRecipe
        let error: LoadError

        init(_ recipe: DecodeRecipe, _ error: LoadError) {
            (self.recipe, self.error) = (recipe, error)
        }
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
        /// The place and the room that it takes, where they are limited.
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

/// Whether something that was made of an original may be kept, and by what that is known.
struct Cacheability: Sendable {
    /// Whether it may be kept; not where HTTP forbids it and is respected.
    var isAllowed = true
    /// The content that it was made of, where anybody has to know.
    var contentHash: UInt64?
    /// That of the load that it comes from: nothing is kept where it has been revoked.
    var ticket: LoadTicket?
    /// When it stops being found in memory, where the request says so.
    var expiry: Expiry?
    /// What else it was made of: where that has left memory, the source may have other content by now.
    var intermediate: Intermediate?

    /// An image in memory that another is made of.
    struct Intermediate: Sendable {
        let key: ImageKey
        let image: Image

        init(_ key: ImageKey, _ image: Image) {
            (self.key, self.image) = (key, image)
        }
    }
}

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

extension ImageRequest {
    /// The same request where the store's original is of no use.
    var withoutStoredOriginal: ImageRequest {
        var fresh = self
        fresh.cachePolicy.original = cachePolicy.original.writes ? .writeOnly : .none
        return fresh
    }

    /// Whether the origin is asked also where a cache has the image.
    var alwaysValidates: Bool { cachePolicy.alwaysValidates && cachePolicy.allowsLoading && isRemote }

    /// Whether the content of the original has to be known.
    var heedsContent: Bool { httpCaching == .respectsHTTP || alwaysValidates }

    /// Whether the bytes come from elsewhere, so that a copy in a store saves something.
    var isRemote: Bool { isPlain || !isLocalFile && url.scheme?.lowercased() != "data" }

    /// Whether the bytes are in a file of this machine.
    var isLocalFile: Bool { !isPlain && url.scheme?.lowercased() == "file" }

    /// Whether the URL is known to be one of `http:` or `https:`, without taking it apart.
    private var isPlain: Bool { plainIdentity.value != nil }
}
