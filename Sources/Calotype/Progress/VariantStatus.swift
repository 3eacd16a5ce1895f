internal import CalotypeCore
internal import CalotypeSupport

/// Forwards a variant's download progress and previews to its event subscribers.
final class VariantStatus: WorkProgress {
    /// A closure that creates previews of a transfer until it ends; runs in a task of its own.
    typealias PreviewMaking = @Sendable (Transfer, VariantStatus) async -> Void

    private struct WeakFeed: Sendable {
        weak let feed: EventFeed?
    }

    private struct State: Sendable {
        var feeds: [WeakFeed] = []
        var progress: LoadProgress?
        var transfer: Transfer?
        var makePreviews: PreviewMaking?
        var transferListeners: [@Sendable (Transfer) -> Void] = []
        var previewTask: Task<Void, Never>?
        var wantsPreviews = false
        var isOver = false
        var clock: StageClock?
        var loadNumber: Int?
        var onlyWrites = false
        /// The work that this work waits for.
        var awaited: VariantStatus?
    }

    private let state = Guarded(State())

    /// Adds a feed, which gets events from now on; released feeds are removed.
    func add(_ feed: EventFeed, wantsPreviews: Bool) {
        let progress = state.withLock { state in
            state.feeds.removeAll { $0.feed == nil }
            state.feeds.append(WeakFeed(feed: feed))
            state.wantsPreviews = state.wantsPreviews || wantsPreviews
            return state.progress
        }
        if let progress { feed.offer(progress) }
        if wantsPreviews { feed.onDemand { [weak self] in self?.transfer?.demand() } }
        startPreviewsIfWanted()
    }

    /// Forwards the progress of a transfer, and previews if there is a closure that creates them.
    func follow(_ transfer: Transfer, makePreviews: PreviewMaking? = nil) {
        transfer.listen { [weak self] in self?.didProgress($0) }
        let (listeners, oldTask) = state.withLock { state in
            // The bytes of a damaged entry give no preview; their replacement comes with this transfer.
            let oldTask = state.transfer === transfer ? nil : state.previewTask.take()
            state.transfer = transfer
            state.makePreviews = makePreviews
            return (state.transferListeners, oldTask)
        }
        oldTask?.cancel()
        for listener in listeners { listener(transfer) }
        startPreviewsIfWanted()
    }

    /// Registers a closure for the transfer: called at once if there is one, and for each later one.
    func onTransfer(_ listener: @escaping @Sendable (Transfer) -> Void) {
        let transfer = state.withLock { state in
            state.transferListeners.append(listener)
            return state.transfer
        }
        if let transfer { listener(transfer) }
    }

    /// Reports the step of the work from a clock.
    func follow(_ clock: StageClock) { state.withLock { $0.clock = clock } }

    package var currentStep: String? {
        let (clock, transfer) = state.withLock { ($0.clock, $0.transfer) }
        return clock?.currentStep ?? transfer?.currentStep ?? "cache"
    }

    /// Sets the number that counts until there is a transfer.
    func noteLoad(_ number: Int) { state.withLock { $0.loadNumber = number } }

    package var loadNumber: Int? {
        let (number, transfer, awaited) = state.withLock { ($0.loadNumber, $0.transfer, $0.awaited) }
        return transfer.map(\.loadNumber) ?? awaited?.loadNumber ?? number
    }

    /// Notes that the work has its result and only waits for the write.
    func noteOnlyWrites() { state.withLock { $0.onlyWrites = true } }

    /// Notes the work that this work waits for; `nil` once it has ended, whose number this work then has.
    func wait(for other: VariantStatus?) {
        let ended = state.withLock { state in
            defer { state.awaited = other }
            return other == nil ? state.awaited : nil
        }
        if let number = ended?.loadNumber { noteLoad(number) }
    }

    package var onlyWrites: Bool {
        let (onlyWrites, awaited) = state.withLock { ($0.onlyWrites, $0.awaited) }
        return onlyWrites || awaited?.onlyWrites == true
    }

    func end() {
        let task = state.withLock { state in
            state.isOver = true
            state.feeds = []
            state.transfer = nil
            state.transferListeners = []
            return state.previewTask.take()
        }
        task?.cancel()
    }

    /// True if a consumer waits for an event.
    var isAwaited: Bool { feeds.contains(where: \.isAwaited) }

    func offer(_ preview: Image) {
        for feed in feeds { feed.offer(preview) }
    }

    private var transfer: Transfer? { state.withLock { $0.transfer } }

    private func didProgress(_ progress: LoadProgress) {
        state.withLock { $0.progress = progress }
        for feed in feeds { feed.offer(progress) }
    }

    private var feeds: [EventFeed] { state.withLock { $0.feeds.compactMap(\.feed) } }

    private func startPreviewsIfWanted() {
        state.withLock { state in
            guard
                state.wantsPreviews, !state.isOver, state.previewTask == nil,
                let transfer = state.transfer, let makePreviews = state.makePreviews
            else { return }
            state.previewTask = Task { await makePreviews(transfer, self) }
        }
    }
}
