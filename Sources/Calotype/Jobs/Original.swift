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
