internal import CalotypeSupport

/// State that the closures of a test share, under a lock.
public final class SharedState<State: Sendable>: Sendable {
    private let guarded: Guarded<State>

    /// Creates it with its first value.
    public init(_ initialState: State) {
        guarded = Guarded(initialState)
    }

    /// The state now.
    public var value: State { guarded.withLock { $0 } }

    /// Runs a closure with exclusive access to the state.
    @discardableResult
    public func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        guarded.withLock(body)
    }
}
