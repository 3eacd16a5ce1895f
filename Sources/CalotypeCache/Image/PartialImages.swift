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

    /// What is known of an image, for as long as that very image lives.
    ///
    /// An address alone would not do: it is given to another image as soon as this one is gone.
    private struct Note: Sendable {
        weak let image: Image?
        let origin: Origin
    }

    private struct State: Sendable {
        var notes: [ObjectIdentifier: Note] = [:]
        /// At how many notes those of images that are gone are swept out.
        var sweepCount = sweepCountMin

        /// Forgets the images that are gone, and gives those that live.
        mutating func sweep() -> [Image] {
            var living: [Image] = []
            for (identifier, note) in notes {
                if let image = note.image { living.append(image) } else { notes[identifier] = nil }
            }
            sweepCount = max(sweepCountMin, living.count * 2)
            return living
        }
    }

    private static let sweepCountMin = 64

    private let state = Guarded(State())

    /// How many notes there are, of living images and of others.
    var count: Int { state.withLock { $0.notes.count } }

    /// How an image in memory came about; `nil` where it is the whole of its key.
    func origin(of image: Image, for key: ImageKey) -> Origin? {
        let note = state.withLock { $0.notes[ObjectIdentifier(image)] }
        guard let note, note.image === image, note.origin.key == key else { return nil }
        return note.origin
    }

    /// Notes an image before it is put into memory.
    func note(_ image: Image, _ origin: Origin) {
        // Swept images come out of the lock: each may be released here for the last time.
        let images = state.withLock { state in
            let living = state.notes.count < state.sweepCount ? [] : state.sweep()
            state.notes[ObjectIdentifier(image)] = Note(image: image, origin: origin)
            return living
        }
        _ = consume images
    }

    /// Forgets how an image came about where it was made for a key: it is now what the key stands for.
    func forget(_ image: Image, for key: ImageKey) {
        state.withLock { state in
            let identifier = ObjectIdentifier(image)
            if state.notes[identifier]?.origin.key == key { state.notes[identifier] = nil }
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
