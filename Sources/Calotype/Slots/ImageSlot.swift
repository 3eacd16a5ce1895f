public import CalotypeLoading
internal import CalotypeSupport

/// What becomes of the earlier loads of a slot when another one begins.
public enum SlotReplacing: Hashable, Sendable {
    /// They are cancelled; the same request for the same target, while it is loading, is not begun anew.
    case always
    /// They are cancelled, even where the same request is loading.
    case restart
    /// They go on and may still show their result, until a later load shows its own: for a small image first
    /// and the large one after it. At most three are kept.
    case afterResult
}

/// A place for one image: what is loaded into it replaces what was loading there.
///
/// A target keeps its slot (``ImageTarget``), and the slot holds the target weakly. When the slot goes away,
/// and most often it goes with its target, its loads are cancelled; where it outlives the target they are
/// cancelled at their next event.
///
/// An image that is in memory is shown within the call. Of a load that was cancelled or replaced nothing
/// arrives any more: it is looked at in the target's isolation, right before each delivery, so nothing can
/// come between. Every other load ends with exactly one ``SlotContent/result(_:)`` or
/// ``SlotContent/failure(_:placeholder:)``.
public final class ImageSlot: Sendable {
    /// What belongs to a load that has not ended.
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

        /// The number of the next delivery.
        mutating func claimDelivery() -> Int {
            deliveryCount += 1
            return deliveryCount
        }

        /// The load that began last, if it has not ended.
        var newest: (id: SlotLedger.LoadID, running: Running)? {
            ledger.newest.flatMap { entry in running[entry.id].map { (entry.id, $0) } }
        }

        /// Takes out loads that have ended.
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
    ///   - pipeline: What loads.
    ///   - previews: Whether images are decoded as their bytes arrive; true unless set. It costs up to the
    ///     time of a second decode, and is best left out for thumbnails.
    public convenience init(_ pipeline: ImagePipeline, previews: Bool = true) {
        self.init(source: SlotSource(pipeline, previews: previews))
    }

    init(source: SlotSource) {
        self.source = source
    }

    deinit {
        cancel()
    }

    /// Whether something is loading.
    public var isLoading: Bool { state.withLock { $0.ledger.newest != nil } }

    /// The request that was loaded last, whatever became of it; `nil` before the first, and after a load of
    /// `nil`.
    public var request: ImageRequest? { state.withLock { $0.request } }

    /// How urgent the load is that began last; `nil` where nothing is loading.
    public var priority: LoadPriority? { state.withLock { $0.newest?.running.priority }?.value }

    /// Changes how urgent what is loading is, such as when the target comes into sight; nothing is begun
    /// anew.
    public func setPriority(_ priority: LoadPriority) {
        for live in state.withLock({ $0.running.values.map(\.priority) }) { live.value = priority }
    }

    /// Cancels what is loading; what is shown stays.
    ///
    /// Nothing is told to the target, neither now nor later. A call from elsewhere than the target's
    /// isolation does not hold up a delivery that has begun.
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
    /// Called where the target lives: on the main actor for a view, in an actor for what the actor keeps.
    ///
    /// - Parameters:
    ///   - request: What is to be loaded; `nil` cancels what is loading and leaves the placeholder or
    ///     nothing.
    ///   - target: What shows it; held weakly.
    ///   - placeholder: What stands in the slot meanwhile; nothing unless given.
    ///   - replacing: What becomes of earlier loads; they are cancelled unless given.
    ///   - isolation: The actor that the target belongs to; the caller's.
    public func load(
        _ request: ImageRequest?,
        into target: some ImageTarget,
        placeholder: SlotPlaceholder = .none,
        replacing: SlotReplacing = .always,
        isolation: isolated any Actor = #isolation
    ) {
        let options = SlotLoad(request: request, placeholder: placeholder, replacing: replacing)
        begin(options, SlotOutlet(target), isolation: isolation)
    }

    /// Loads an image and shows it in an actor.
    ///
    /// - Parameters:
    ///   - request: What is to be loaded; `nil` cancels what is loading and leaves the placeholder or
    ///     nothing.
    ///   - target: What shows it; held weakly.
    ///   - placeholder: What stands in the slot meanwhile; nothing unless given.
    ///   - replacing: What becomes of earlier loads; they are cancelled unless given.
    public func load(
        _ request: ImageRequest?,
        into target: isolated some ActorImageTarget,
        placeholder: SlotPlaceholder = .none,
        replacing: SlotReplacing = .always
    ) {
        let options = SlotLoad(request: request, placeholder: placeholder, replacing: replacing)
        begin(options, SlotOutlet(isolated: target), isolation: target)
    }

    /// Loads an image and shows it in a target that belongs to no actor.
    ///
    /// The target is told on the caller's thread within the call and on any thread after it, one call to
    /// `show` at a time. Where another thread is showing something at that moment, it shows an image that
    /// is in memory too, right after that.
    ///
    /// - Parameters:
    ///   - request: What is to be loaded; `nil` cancels what is loading and leaves the placeholder or
    ///     nothing.
    ///   - target: What shows it; held weakly.
    ///   - placeholder: What stands in the slot meanwhile; nothing unless given.
    ///   - replacing: What becomes of earlier loads; they are cancelled unless given.
    public func load(
        _ request: ImageRequest?,
        into target: some ImageTarget & Sendable,
        placeholder: SlotPlaceholder = .none,
        replacing: SlotReplacing = .always
    ) {
        let options = SlotLoad(request: request, placeholder: placeholder, replacing: replacing)
        begin(options, SlotOutlet(shared: target), isolation: nil)
    }
}
