public import CalotypeLoading
internal import CalotypeSupport

/// Pauses and resumes prefetches, and changes their priority, while they run.
///
/// Pass it to ``ImagePipeline/prefetch(_:to:maxConcurrency:priority:control:progress:)``; several prefetches
/// may share one. Every member can be called from any task.
public final class PrefetchControl: Sendable {
    private struct State: Sendable {
        var isPaused: Bool
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastNumber = 0
    }

    private let state: Guarded<State>

    let livePriority = LivePriority(.low)

    /// Creates a control.
    ///
    /// - Parameter isPaused: True to pause prefetches from the start; false unless set.
    public init(isPaused: Bool = false) {
        state = Guarded(State(isPaused: isPaused))
    }

    /// True if prefetches are paused: none of their requests starts; loads in progress continue.
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

    /// The priority of the loads, also of those in progress; a prefetch that begins sets it to its own.
    public var priority: LoadPriority {
        get { livePriority.value }
        set { livePriority.value = newValue }
    }

    /// Waits until prefetches are not paused.
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
