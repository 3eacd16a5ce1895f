internal import CalotypeSupport
internal import FoundationEssentials

/// Orders the deliveries of a slot to a target that belongs to no actor, where threads may deliver
/// concurrently.
///
/// Deliveries are numbered when their load claims them. One call runs at a time, and nothing is shown after
/// content that was claimed later. A thread never waits for another: the delivering thread also runs
/// deliveries that arrive meanwhile.
final class SlotTurn: Sendable {
    private struct State: Sendable {
        /// The number of the delivery that began last.
        var last = 0
        /// The thread that is delivering.
        var runner: pthread_t?
        var waiting: [(number: Int, body: @Sendable () -> Void)] = []
    }

    private let state = Guarded(State())

    /// Runs a delivery unless one that was claimed later has begun; within the call, unless another thread is
    /// delivering.
    func run(_ number: Int, _ body: @escaping @Sendable () -> Void) {
        let thread = pthread_self()
        let (isNext, isNested) = state.withLock { state -> (Bool, Bool) in
            guard number > state.last else { return (false, false) }
            guard let runner = state.runner else {
                (state.last, state.runner) = (number, thread)
                return (true, false)
            }
            guard pthread_equal(runner, thread) != 0 else {
                state.waiting.append((number, body))
                return (false, false)
            }
            state.last = number
            return (true, true)
        }
        guard isNext else { return }
        body()
        if isNested { return }
        while let body = takeWaiting() { body() }
    }

    /// Drops deliveries that were claimed before a number and have not begun.
    func skip(before number: Int) {
        state.withLock { $0.last = max($0.last, number) }
    }

    /// Returns the waiting delivery that was claimed first; late ones are dropped.
    private func takeWaiting() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.waiting.removeAll { $0.number <= state.last }
            guard
                let index = state.waiting.indices.min(by: {
                    state.waiting[$0].number < state.waiting[$1].number
                })
            else {
                state.runner = nil
                return nil
            }
            let next = state.waiting.remove(at: index)
            state.last = next.number
            return next.body
        }
    }
}
