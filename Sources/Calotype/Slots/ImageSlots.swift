internal import CalotypeSupport

/// The slots of a target that shows several images, by a key of its own: a row, a role, an index.
///
/// Each key has a slot of its own; loading into one does not touch the others. When the collection goes away
/// all loads are cancelled.
public final class ImageSlots<Key: Hashable & Sendable>: Sendable {
    private let source: SlotSource
    private let slots = Guarded<[Key: ImageSlot]>([:])

    /// Creates a collection without slots.
    ///
    /// - Parameters:
    ///   - pipeline: What loads.
    ///   - previews: Whether images are decoded as their bytes arrive; true unless set. It costs up to the
    ///     time of a second decode, and is best left out for thumbnails.
    public convenience init(_ pipeline: ImagePipeline, previews: Bool = true) {
        self.init(source: SlotSource(pipeline, previews: previews))
    }

    init(source: SlotSource) {
        self.source = source
    }

    /// The slot for a key; made when it is first asked for, and kept until ``remove(_:)``.
    public subscript(key: Key) -> ImageSlot {
        slots.withLock { slots in
            if let slot = slots[key] { return slot }
            let slot = ImageSlot(source: source)
            slots[key] = slot
            return slot
        }
    }

    /// The key of a slot; `nil` where it is not in the collection.
    ///
    /// - Complexity: O(slots).
    public func key(of slot: ImageSlot) -> Key? {
        slots.withLock { slots in slots.first { $0.value === slot }?.key }
    }

    /// Whether something is loading into any slot.
    public var isLoading: Bool { all.contains { $0.isLoading } }

    /// Cancels what is loading into the slot for a key; what is shown stays.
    public func cancel(_ key: Key) {
        slots.withLock { $0[key] }?.cancel()
    }

    /// Cancels what is loading into any slot; what is shown stays.
    public func cancelAll() {
        for slot in all { slot.cancel() }
    }

    /// Cancels what is loading into the slot for a key, and forgets the slot.
    public func remove(_ key: Key) {
        slots.withLock { $0.removeValue(forKey: key) }?.cancel()
    }

    private var all: [ImageSlot] { slots.withLock { Array($0.values) } }

    deinit {
        cancelAll()
    }
}
