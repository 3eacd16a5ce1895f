internal import CalotypeCore
internal import CalotypeSupport

/// Asks the stores, and gives up questions that are not answered in time (decision 0300).
///
/// A question that was given up goes on behind, since a store need not heed cancellation. Where many take
/// longer than they may, no more are asked until some have ended.
final class StoreReads: Sendable {
    private static let abandonedCountMax = 64

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

    /// The answer to a question.
    ///
    /// - Throws: What the question throws, ``StoreSlowError`` where it takes too long, or
    ///   `CancellationError`.
    func answer<Value: Sendable>(
        _ question: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard abandonedCount.withLock({ $0 < Self.abandonedCountMax }) else { throw StoreSlowError(limit) }
        let race = Race<Value>()
        return try await withTaskCancellationHandler {
            try await handedOver { handOver in
                race.begin(handOver)
                let task = Task {
                    let standing = Guarded(Standing.isAsked)
                    // Set here: what waits for a thread of the process is no fault of the store.
                    let alarm = Alarms.shared.set(after: self.limit) {
                        self.noteLate(standing)
                        race.end(.failure(StoreSlowError(self.limit)))
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
            // No fault of the store, unless it does not end in its time either.
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

/// An answer, or the end of the wait for it; the first one counts.
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
        // It was cancelled before it began.
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

    /// Ends the wait, unless something has ended it before.
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

/// A store that does not answer.
struct StoreSlowError: CodedError, CustomStringConvertible {
    let limit: Duration

    init(_ limit: Duration) {
        self.limit = limit
    }

    var codeLabel: String { "storeSlow" }

    var fault: Fault { .environment }

    var description: String {
        "storeSlow: the store has not answered within \(limit); Configuration.storeTimeout sets the limit"
    }
}
