internal import CalotypeCore
internal import CalotypeSupport

/// Queries the stores, and abandons queries that exceed the time limit (decision 0300).
///
/// An abandoned query continues in the background, because a store may ignore cancellation. While too many of
/// them run, new queries fail at once.
final class StoreQueries: Sendable {
    private static let maxAbandonedCount = 64

    private enum Standing: Sendable {
        case isAsked
        case isLate
        case hasEnded
    }

    private let limit: Duration
    private let abandonedCount = Guarded(0)

    init(atMost limit: Duration) {
        self.limit = limit
    }

    /// Returns the result of a query.
    ///
    /// - Throws: The error of the query, ``StoreSlowError`` if it takes too long, or `CancellationError`.
    func answer<Value: Sendable>(
        _ question: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard abandonedCount.withLock({ $0 < Self.maxAbandonedCount }) else { throw StoreSlowError(limit) }
        let race = Race<Value>()
        return try await withTaskCancellationHandler {
            try await handedOver { handOver in
                race.begin(handOver)
                let task = Task {
                    let standing = Guarded(Standing.isAsked)
                    // Set here, because the wait for a thread of the process must not count against the
                    // store.
                    let alarm = Alarms.shared.set(after: self.limit) {
                        self.noteLate(standing)
                        // Elsewhere, because it calls cancellation handlers of the store.
                        Task.detached { race.end(.failure(StoreSlowError(self.limit))) }
                    }
                    let result: Result<Value, any Error>
                    do { result = .success(try await question()) } catch { result = .failure(error) }
                    Alarms.shared.cancel(alarm)
                    self.noteEnd(standing)
                    race.end(result)
                }
                race.watch(task)
            }.get()
        } onCancel: {
            // Does not count against the store, unless the query exceeds its time limit too.
            race.end(.failure(CancellationError()))
        }
    }

    private func noteLate(_ standing: borrowing Guarded<Standing>) {
        standing.withLock { standing in
            guard case .isAsked = standing else { return }
            standing = .isLate
            abandonedCount.withLock { $0 += 1 }
        }
    }

    private func noteEnd(_ standing: borrowing Guarded<Standing>) {
        standing.withLock { current in
            if case .isLate = current { abandonedCount.withLock { $0 -= 1 } }
            current = .hasEnded
        }
    }
}

/// A result, or the end of the wait for it; the first one counts.
private final class Race<Value: Sendable>: Sendable {
    typealias HandOver = @Sendable (Result<Value, any Error>) -> Void

    private struct State: Sendable {
        var handOver: HandOver?
        var result: Result<Value, any Error>?
        var task: Task<Void, Never>?
    }

    private let state = Guarded(State())

    func begin(_ handOver: @escaping HandOver) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            if state.result == nil { state.handOver = handOver }
            return state.result
        }
        // It was cancelled before it started.
        if let result { handOver(result) }
    }

    func watch(_ task: Task<Void, Never>) {
        let hasEnded = state.withLock { state in
            guard state.result == nil else { return true }
            state.task = task
            return false
        }
        if hasEnded { task.cancel() }
    }

    /// Ends the wait, unless it has ended already.
    func end(_ result: Result<Value, any Error>) {
        let ended = state.withLock { state -> State? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { (state.handOver, state.task) = (nil, nil) }
            return state
        }
        guard let ended else { return }
        if case .failure = result { ended.task?.cancel() }
        ended.handOver?(result)
    }
}

/// A store that does not respond in time.
struct StoreSlowError: CodedError {
    let limit: Duration

    let code = StoreCode.storeSlow
    let isRetryable = true
    var detail: String {
        "the store has not answered within \(limit); Configuration.storeTimeout sets the limit"
    }

    init(_ limit: Duration) {
        self.limit = limit
    }
}
