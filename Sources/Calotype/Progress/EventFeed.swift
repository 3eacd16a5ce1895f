internal import CalotypeCore
internal import CalotypeSupport

/// The undelivered events of one consumer: only the newest of each kind.
final class EventFeed: Sendable {
    private typealias Waiter = @Sendable (Result<ImageEvent?, any Error>) -> Void

    private struct State: Sendable {
        var progress: LoadProgress?
        var newestProgress: LoadProgress?
        var progressToldAt: ContinuousClock.Instant?
        /// The cached image, which is delivered in any case.
        var cached: Image?
        var preview: Image?
        var outcome: Result<LoadedImage, any Error>?
        var isOver = false
        /// The consumers that wait for an event; one, unless several consumers share the events of a
        /// sequence.
        var waiters: [Waiter] = []
        var onDemand: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())
    private let interval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a feed.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two events of progress.
    ///   - now: The clock.
    init(interval: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.interval = interval
        self.now = now
    }

    /// The newest progress, delivered or not.
    var newestProgress: LoadProgress? { state.withLock(\.newestProgress) }

    /// The outcome of the load, if it has ended.
    var outcome: Result<LoadedImage, any Error>? { state.withLock(\.outcome) }

    /// True if the consumer waits for an event; otherwise it needs no preview.
    var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Registers a closure that is called whenever the consumer has started to wait.
    func onDemand(_ body: @escaping @Sendable () -> Void) {
        let isAwaited = state.withLock { state in
            state.onDemand = body
            return !state.waiters.isEmpty
        }
        if isAwaited { body() }
    }

    /// Sets the progress, in place of an undelivered one.
    func offer(_ progress: LoadProgress) {
        change { ($0.progress, $0.newestProgress) = (progress, progress) }
    }

    /// Sets the preview, in place of an undelivered one.
    func offer(_ preview: Image) {
        change { $0.preview = preview }
    }

    /// Sets the cached image, which is delivered before all other events.
    func offer(cached image: Image) {
        change { $0.cached = image }
    }

    /// Sets the outcome of the load; the first call counts.
    func finish(_ outcome: Result<LoadedImage, any Error>) {
        change { $0.outcome = $0.outcome ?? outcome }
    }

    /// Returns the next event; `nil` after the last.
    ///
    /// - Throws: The error of the load, or `CancellationError`.
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
            // However quick the load was, a progress bar reaches its end.
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
