public import CalotypeLoading
internal import CalotypeSupport

/// Holds prefetches back, lets them go on, and makes them more or less urgent, while they run.
///
/// Given to ``ImagePipeline/prefetch(_:to:concurrencyMax:priority:control:progress:)``; several may share
/// one. Every member can be called from any task.
public final class PrefetchControl: Sendable {
    private struct State: Sendable {
        var isPaused: Bool
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastNumber = 0
    }

    private let state: Guarded<State>

    /// How urgent the loads are.
    let livePriority = LivePriority(.low)

    /// Creates a control.
    ///
    /// - Parameter isPaused: Whether prefetches wait from the beginning; they do not unless set.
    public init(isPaused: Bool = false) {
        state = Guarded(State(isPaused: isPaused))
    }

    /// Whether prefetches are held back: none of their requests begins any more; what is loading goes on.
    public var isPaused: Bool {
        get { state.withLock(\.isPaused) }
        set {
            let waiters = state.withLock { state in
                state.isPaused = newValue
                guard !newValue else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiters = [:] }
                return Array(state.waiters.values)
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// How urgent the loads are, also those that have begun; a prefetch that begins sets it to what it is
    /// given.
    public var priority: LoadPriority {
        get { livePriority.value }
        set { livePriority.value = newValue }
    }

    /// Waits until nothing is held back.
    ///
    /// - Throws: `CancellationError`.
    func untilResumed() async throws {
        while isPaused {
            try Task.checkCancellation()
            await waitForChange()
        }
    }

    private func waitForChange() async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    guard state.isPaused, !Task.isCancelled else { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
