internal import CalotypeSupport

/// The urgency of a load, compared with others in a queue.
public enum LoadPriority: Int, Comparable, CaseIterable, Sendable {
    /// Only when no other load waits.
    case lowest
    /// For images that may be needed later, such as a prefetch.
    case low
    /// The default.
    case normal
    /// For images that are visible to the user.
    case high
    /// Before all others.
    case highest

    /// Returns whether `left` is less urgent than `right`.
    public static func < (left: LoadPriority, right: LoadPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A priority that can change while a load waits in a queue.
///
/// It may be set at any time, from any task; running loads are not affected.
public final class LivePriority: Sendable {
    private typealias Observer = @Sendable (LoadPriority) -> Void

    private struct State: Sendable {
        var value: LoadPriority
        var observers: [Int: Observer] = [:]
        var observerCount = 0
    }

    private let state: Guarded<State>

    /// Creates a priority.
    public init(_ value: LoadPriority = .normal) {
        state = Guarded(State(value: value))
    }

    /// The current priority.
    public var value: LoadPriority {
        get { state.withLock(\.value) }
        set {
            let observers = state.withLock { state -> [Observer] in
                guard state.value != newValue else { return [] }
                state.value = newValue
                return Array(state.observers.values)
            }
            for observer in observers { observer(newValue) }
        }
    }

    /// Calls a closure at each change, on the task that makes it.
    ///
    /// Concurrent changes may arrive in any order, so the closure should read ``value``.
    ///
    /// - Parameter body: The closure; it must return soon.
    /// - Returns: The identifier for ``stopObserving(_:)``.
    package func observe(_ body: @escaping @Sendable (LoadPriority) -> Void) -> Int {
        state.withLock { state in
            state.observerCount += 1
            state.observers[state.observerCount] = body
            return state.observerCount
        }
    }

    /// Ends an observation; a concurrent change may still call the closure once.
    package func stopObserving(_ id: Int) {
        let removed = state.withLock { $0.observers.removeValue(forKey: id) }
        // Released outside the lock: the closure may own objects with expensive deinits.
        _ = removed
    }
}
