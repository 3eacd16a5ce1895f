public import CalotypeLoading
internal import CalotypeSupport

/// Pauses and resumes prefetches, and changes their priority, while they run.
///
/// Pass it to ``ImagePipeline/prefetch(_:to:maxConcurrency:priority:control:progress:)``; several prefetches
/// may share one. Every member can be called from any task.
public final class PrefetchControl: Sendable {
    private struct State: Sendable {
        var isPaused: Bool
        var waiters = WaitList<Void>()
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
                return newValue ? [] : state.waiters.take()
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
        while let number = state.withLock({ $0.isPaused ? $0.waiters.enter() : nil }) {
            await state.wait(number, in: \.waiters)
            try Task.checkCancellation()
        }
    }
}
