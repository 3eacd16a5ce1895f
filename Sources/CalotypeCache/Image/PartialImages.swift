import CalotypeCodecs
import CalotypeCore
import CalotypeSupport

/// Images that queries have stored in memory and that are not the whole image of their key: smaller, or the
/// first frame only.
///
/// Without this record, a thumbnail decoded for one query would be returned to a query for the full image.
final class PartialImages: Sendable {
    /// The query that decoded an image.
    struct Origin: Sendable {
        let key: ImageKey
        let decoding: DecodeOptions
        /// The kind of the encoded image.
        let kind: CacheQuery.Kind
    }

    /// The origin of an image, while that image exists.
    ///
    /// An address alone would not suffice: another image can get it as soon as this one is deallocated.
    private struct Note: Sendable {
        weak let image: Image?
        let origin: Origin
    }

    private struct State: Sendable {
        var notes: [ObjectIdentifier: Note] = [:]
        /// The number of notes that triggers a sweep of deallocated images.
        var sweepCount = minSweepCount

        /// Removes the notes of deallocated images, and returns the images that exist.
        mutating func sweep() -> [Image] {
            var living: [Image] = []
            for (identifier, note) in notes {
                if let image = note.image { living.append(image) } else { notes[identifier] = nil }
            }
            sweepCount = max(minSweepCount, living.count * 2)
            return living
        }
    }

    private static let minSweepCount = 64

    private let state = Guarded(State())

    /// The number of notes, including those of deallocated images.
    var count: Int { state.withLock { $0.notes.count } }

    /// Returns the origin of an image in memory; `nil` if it is the whole image of its key.
    func origin(of image: Image, for key: ImageKey) -> Origin? {
        let note = state.withLock { $0.notes[ObjectIdentifier(image)] }
        guard let note, note.image === image, note.origin.key == key else { return nil }
        return note.origin
    }

    /// Records an image before it is stored in memory.
    func note(_ image: Image, _ origin: Origin) {
        // Swept images leave the lock before they are released: these may be the last references.
        let images = state.withLock { state in
            let living = state.notes.count < state.sweepCount ? [] : state.sweep()
            state.notes[ObjectIdentifier(image)] = Note(image: image, origin: origin)
            return living
        }
        _ = consume images
    }

    /// Forgets the origin of an image decoded for a key: it now represents the whole key.
    func forget(_ image: Image, for key: ImageKey) {
        state.withLock { state in
            let identifier = ObjectIdentifier(image)
            if state.notes[identifier]?.origin.key == key { state.notes[identifier] = nil }
        }
    }
}

extension DecodeOptions {
    /// The options without those that do not change pixels.
    var form: DecodeOptions {
        var form = self
        form.limits = DecodeLimits()
        return form
    }

    /// Whether the result is the whole image: every frame, in full size, unmodified.
    var givesWhole: Bool { form == DecodeOptions() }
}
