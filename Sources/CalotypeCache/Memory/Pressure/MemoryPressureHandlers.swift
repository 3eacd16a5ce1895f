internal import CalotypeSupport

/// The handlers of a source, in the order in which they were added.
package final class MemoryPressureHandlers: Sendable {
    package typealias Handler = @Sendable (MemoryPressure) -> Void

    private struct State: Sendable {
        var handlers: [(id: Int, handler: Handler)] = []
        var lastID = 0
    }

    private let state = Guarded(State())

    package init() {}

    package var count: Int { state.withLock { $0.handlers.count } }

    package func add(_ handler: @escaping Handler) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.handlers.append((state.lastID, handler))
            return state.lastID
        }
    }

    package func remove(_ id: Int) {
        // The handler leaves the lock before it is released, as it may hold anything.
        let removed = state.withLock { state in
            state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0).handler }
        }
        _ = removed
    }

    /// Calls every handler, outside the lock.
    package func call(_ pressure: MemoryPressure) {
        for (_, handler) in state.withLock({ $0.handlers }) { handler(pressure) }
    }
}
