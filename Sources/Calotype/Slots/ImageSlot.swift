public import CalotypeLoading
internal import CalotypeSupport

/// The effect of a new load on the earlier loads of a slot.
public enum SlotReplacement: Hashable, Sendable {
    /// Earlier loads are cancelled; the same request for the same target continues if it is loading.
    case always
    /// Earlier loads are cancelled, even if the same request is loading.
    case restart
    /// Earlier loads continue, and may show their result until a later load shows its own.
    ///
    /// For a small image first and the large one after it. At most three are kept.
    case afterResult
}

/// A holder of one image; a new load replaces the one in progress.
///
/// A target owns its slot (``ImageTarget``), and the slot references the target weakly. When the slot is
/// released, usually together with its target, its loads are cancelled; if it outlives the target, they are
/// cancelled at their next event.
///
/// An image in memory is shown within the call. A cancelled or replaced load delivers nothing more: this is
/// checked in the target's isolation right before each delivery, so that nothing can come between. Every
/// other load ends with exactly one ``SlotContent/result(_:)`` or ``SlotContent/failure(_:placeholder:)``.
public final class ImageSlot: Sendable {
    /// The state of a load that has not ended.
    struct Running: Sendable {
        let priority: LivePriority
        let target: SlotTargetIdentity
        var task: Task<Void, Never>?
    }

    struct State: Sendable {
        var ledger = SlotLedger()
        var request: ImageRequest?
        var running: [SlotLedger.LoadID: Running] = [:]
        private var deliveryCount = 0

        /// Returns the number of the next delivery.
        mutating func claimDelivery() -> Int {
            deliveryCount += 1
            return deliveryCount
        }

        /// The most recent load, if it has not ended.
        var newest: (id: SlotLedger.LoadID, running: Running)? {
            ledger.newest.flatMap { entry in running[entry.id].map { (entry.id, $0) } }
        }

        /// Removes loads that have ended, and returns them.
        mutating func take(_ ids: [SlotLedger.LoadID]) -> [Running] {
            ids.compactMap { running.removeValue(forKey: $0) }
        }
    }

    let source: SlotSource
    let state = Guarded(State())
    /// Orders deliveries to a target without isolation.
    let turn = SlotTurn()

    /// Creates an empty slot.
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

    deinit {
        cancel()
    }

    /// True if an image is loading.
    public var isLoading: Bool { state.withLock { $0.ledger.newest != nil } }

    /// The request of the last load, whatever its outcome; `nil` before the first, and after a load of `nil`.
    public var request: ImageRequest? { state.withLock { $0.request } }

    /// The priority of the most recent load; `nil` if nothing is loading.
    public var priority: LoadPriority? { state.withLock { $0.newest?.running.priority }?.value }

    /// Changes the priority of the loads in progress, such as when the target becomes visible; no load is
    /// restarted.
    public func setPriority(_ priority: LoadPriority) {
        for live in state.withLock({ $0.running.values.map(\.priority) }) { live.value = priority }
    }

    /// Cancels the loads in progress; the image shown stays.
    ///
    /// The target is not notified, neither now nor later. A call from outside the target's isolation does not
    /// stop a delivery that has begun.
    public func cancel() {
        let (ended, number) = state.withLock { state in
            let ids = state.ledger.end()
            return (state.take(ids), state.claimDelivery())
        }
        turn.skip(before: number)
        for load in ended { load.task?.cancel() }
    }
}

extension ImageSlot {
    /// Loads an image and shows it in a target, in the caller's isolation.
    ///
    /// Call it where the target lives: on the main actor for a view, in an actor for what the actor owns.
    ///
    /// - Parameters:
    ///   - request: The request; `nil` cancels the loads in progress and shows the placeholder or nothing.
    ///   - target: The object that shows the image; referenced weakly.
    ///   - placeholder: The content of the slot during the load; nothing unless given.
    ///   - replacing: The effect on earlier loads; they are cancelled unless given.
    ///   - isolation: The actor that the target belongs to; the caller's.
    public func load(
        _ request: ImageRequest?,
        into target: some ImageTarget,
        placeholder: SlotPlaceholder = .none,
        replacing: SlotReplacement = .always,
        isolation: isolated any Actor = #isolation
    ) {
        let options = SlotLoad(request: request, placeholder: placeholder, replacing: replacing)
        begin(options, SlotOutlet(target), isolation: isolation)
    }

    /// Loads an image and shows it in an actor.
    ///
    /// - Parameters:
    ///   - request: The request; `nil` cancels the loads in progress and shows the placeholder or nothing.
    ///   - target: The actor that shows the image; referenced weakly.
    ///   - placeholder: The content of the slot during the load; nothing unless given.
    ///   - replacing: The effect on earlier loads; they are cancelled unless given.
    public func load(
        _ request: ImageRequest?,
        into target: isolated some ActorImageTarget,
        placeholder: SlotPlaceholder = .none,
        replacing: SlotReplacement = .always
    ) {
        let options = SlotLoad(request: request, placeholder: placeholder, replacing: replacing)
        begin(options, SlotOutlet(isolated: target), isolation: target)
    }

    /// Loads an image and shows it in a target that belongs to no actor.
    ///
    /// The target is called on the caller's thread within the call and on any thread after it, one call to
    /// `show` at a time. If another thread is showing content at that moment, that thread also shows an image
    /// from memory, right after that.
    ///
    /// - Parameters:
    ///   - request: The request; `nil` cancels the loads in progress and shows the placeholder or nothing.
    ///   - target: The object that shows the image; referenced weakly.
    ///   - placeholder: The content of the slot during the load; nothing unless given.
    ///   - replacing: The effect on earlier loads; they are cancelled unless given.
    public func load(
        _ request: ImageRequest?,
        into target: some ImageTarget & Sendable,
        placeholder: SlotPlaceholder = .none,
        replacing: SlotReplacement = .always
    ) {
        let options = SlotLoad(request: request, placeholder: placeholder, replacing: replacing)
        begin(options, SlotOutlet(shared: target), isolation: nil)
    }
}
