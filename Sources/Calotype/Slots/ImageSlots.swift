internal import CalotypeSupport

/// The slots of a target that shows several images, by a key of its own: a row, a role, an index.
///
/// Each key has a slot of its own; loading into one does not affect the others. When the collection is
/// released, all loads are cancelled.
public final class ImageSlots<Key: Hashable & Sendable>: Sendable {
    private let source: SlotSource
    private let slots = Guarded<[Key: ImageSlot]>([:])

    /// Creates a collection without slots.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline that loads.
    ///   - previews: True to decode images as their bytes arrive, which costs up to the time of a second
    ///     decode; true unless set. Best left out for thumbnails.
    public convenience init(_ pipeline: ImagePipeline, previews: Bool = true) {
        self.init(source: SlotSource(pipeline, previews: previews))
    }

    init(source: SlotSource) {
        self.source = source
    }

    /// The slot for a key; created at the first access, and kept until ``remove(_:)``.
    public subscript(key: Key) -> ImageSlot {
        slots.withLock { slots in
            if let slot = slots[key] { return slot }
            let slot = ImageSlot(source: source)
            slots[key] = slot
            return slot
        }
    }

    /// Returns the key of a slot; `nil` if it is not in the collection.
    ///
    /// - Complexity: O(slots).
    public func key(of slot: ImageSlot) -> Key? {
        slots.withLock { slots in slots.first { $0.value === slot }?.key }
    }

    /// True if an image is loading into any slot.
    public var isLoading: Bool { all.contains { $0.isLoading } }

    /// Cancels the loads into the slot for a key; the image shown stays.
    public func cancel(_ key: Key) {
        slots.withLock { $0[key] }?.cancel()
    }

    /// Cancels the loads into all slots; the images shown stay.
    public func cancelAll() {
        for slot in all { slot.cancel() }
    }

    /// Cancels the loads into the slot for a key, and removes the slot.
    public func remove(_ key: Key) {
        slots.withLock { $0.removeValue(forKey: key) }?.cancel()
    }

    private var all: [ImageSlot] { slots.withLock { Array($0.values) } }

    deinit {
        cancelAll()
    }
}
