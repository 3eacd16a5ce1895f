import CalotypeCodecs
import CalotypeCore
import CalotypeSupport

/// Images that queries have put into memory and that are not the whole of what their key stands for: smaller,
/// or the first frame only.
///
/// Without this a thumbnail that one query asked for would answer the next one's question for the picture.
final class PartialImages: Sendable {
    /// How an image came about.
    struct Origin: Sendable {
        let key: ImageKey
        let decoding: DecodeOptions
        /// What the bytes were of.
        let kind: CacheQuery.Kind
    }

    /// By the image's identity.
    ///
    /// One that is out of date, whose image is gone and whose place in memory another has taken, makes a
    /// query decode again at worst.
    private let origins = Guarded<[ObjectIdentifier: Origin]>([:])

    /// How many are known.
    var count: Int { origins.withLock { $0.count } }

    /// How an image in memory came about; `nil` where it is the whole.
    func origin(of image: Image) -> Origin? {
        origins.withLock { $0[ObjectIdentifier(image)] }
    }

    /// Notes an image before it is put into memory; what has left memory is forgotten once it is the most.
    func note(_ image: Image, _ origin: Origin, in memory: ImageCache.Memory) {
        let count = origins.withLock { origins in
            origins[ObjectIdentifier(image)] = origin
            return origins.count
        }
        guard count > 64 + 2 * memory.statistics.count else { return }
        // The memory cache is asked outside of the lock.
        let known = origins.withLock { $0 }
        let gone = known.filter { $0.key != ObjectIdentifier(image) && !memory.contains($0.value.key) }.keys
        origins.withLock { origins in
            for identifier in gone { origins[identifier] = nil }
        }
    }
}

extension DecodeOptions {
    /// The options without what changes no pixel.
    var form: DecodeOptions {
        var form = self
        form.limits = DecodeLimits()
        return form
    }

    /// Whether the result is the whole: every frame, as large as it is, as the file means it.
    var givesWhole: Bool { form == DecodeOptions() }
}
