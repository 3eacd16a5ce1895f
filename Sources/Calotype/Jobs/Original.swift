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

    /// The transfer whose bytes are still written, for a request that waits for the store.
    var storing: Transfer?

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

    /// The original while its size is compared with that of a result, without its image.
    var whileMeasured: Original {
        var original = self
        original.decoded = nil
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
