internal import CalotypeCore
internal import CalotypeSupport

/// What one consumer of events has not been told yet: the newest of each kind, nothing more.
final class EventFeed: Sendable {
    private typealias Waiter = @Sendable (Result<ImageEvent?, any Error>) -> Void

    private struct State: Sendable {
        var progress: LoadProgress?
        var newestProgress: LoadProgress?
        var progressToldAt: ContinuousClock.Instant?
        /// What a cache has, which is told in any case.
        var cached: Image?
        var preview: Image?
        var outcome: Result<LoadedImage, any Error>?
        var isOver = false
        /// Those that wait for an event; one, unless a sequence has several consumers, which share its
        /// events.
        var waiters: [Waiter] = []
        var onDemand: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())
    private let interval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a feed.
    ///
    /// - Parameters:
    ///   - interval: The least time between two events of progress.
    ///   - now: The clock.
    init(interval: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.interval = interval
        self.now = now
    }

    /// The newest progress, told or not.
    var newestProgress: LoadProgress? { state.withLock(\.newestProgress) }

    /// How the load has ended, where it has.
    var outcome: Result<LoadedImage, any Error>? { state.withLock(\.outcome) }

    /// Whether the consumer waits for an event now: who does not look needs no preview.
    var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Calls a closure whenever the consumer has begun to wait, from now on.
    func onDemand(_ body: @escaping @Sendable () -> Void) {
        let isAwaited = state.withLock { state in
            state.onDemand = body
            return !state.waiters.isEmpty
        }
        if isAwaited { body() }
    }

    /// Notes progress in place of what the consumer has not been told of.
    func offer(_ progress: LoadProgress) {
        change { ($0.progress, $0.newestProgress) = (progress, progress) }
    }

    /// Notes a preview in place of what the consumer has not been told of.
    func offer(_ preview: Image) {
        change { $0.preview = preview }
    }

    /// Notes what a cache has; the consumer is told of it before all else.
    func offer(cached image: Image) {
        change { $0.cached = image }
    }

    /// Notes how the load ended; the first time counts.
    func finish(_ outcome: Result<LoadedImage, any Error>) {
        change { $0.outcome = $0.outcome ?? outcome }
    }

    /// The next event; `nil` after the last.
    ///
    /// - Throws: What the load failed with, or `CancellationError`.
    func next() async throws -> ImageEvent? {
        try await withTaskCancellationHandler {
            try await handedOver { waiter in
                change { state in
                    if Task.isCancelled { state.outcome = state.outcome ?? .failure(CancellationError()) }
                    state.waiters.append(waiter)
                }
                state.withLock { $0.waiters.isEmpty ? nil : $0.onDemand }?()
            }.get()
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// Changes what is known, and tells the consumer where it waits and there is something to tell.
    private func change(_ body: (inout State) -> Void) {
        let now = now()
        let deliveries = state.withLock { state -> [(Waiter, Result<ImageEvent?, any Error>)] in
            body(&state)
            var deliveries: [(Waiter, Result<ImageEvent?, any Error>)] = []
            while !state.waiters.isEmpty, let event = takeEvent(&state, now) {
                deliveries.append((state.waiters.removeFirst(), event))
            }
            return deliveries
        }
        for (waiter, event) in deliveries { waiter(event) }
    }

    private func takeEvent(
        _ state: inout State,
        _ now: ContinuousClock.Instant
    ) -> Result<ImageEvent?, any Error>? {
        if state.isOver { return .success(nil) }
        if let cached = state.cached.take() { return .success(.preview(cached)) }
        if let outcome = state.outcome {
            // However quick the load was, who draws a bar sees its end.
            if case .success = outcome, let progress = state.progress.take() {
                return .success(.progress(progress))
            }
            state.isOver = true
            return outcome.map { .finished($0) }
        }
        if let preview = state.preview.take() { return .success(.preview(preview)) }
        guard let progress = state.progress, isDue(state.progressToldAt, now) else { return nil }
        state.progress = nil
        state.progressToldAt = now
        return .success(.progress(progress))
    }

    private func isDue(_ last: ContinuousClock.Instant?, _ now: ContinuousClock.Instant) -> Bool {
        last.map { now - $0 >= interval } ?? true
    }
}
