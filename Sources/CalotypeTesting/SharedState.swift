internal import CalotypeSupport

/// State shared by the closures of a test, under a lock.
public final class SharedState<State: Sendable>: Sendable {
    private let guarded: Guarded<State>

    /// Creates the state with its first value.
    public init(_ initialState: State) {
        guarded = Guarded(initialState)
    }

    /// The current value.
    public var value: State { guarded.withLock { $0 } }

    /// Runs a closure with exclusive access to the state.
    @discardableResult
    public func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        guarded.withLock(body)
    }
}
