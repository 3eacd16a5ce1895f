internal import CalotypeSupport

/// How urgent a load is, compared with others that wait for their turn.
public enum LoadPriority: Int, Comparable, CaseIterable, Sendable {
    /// Only when nothing else waits.
    case lowest
    /// For what may be wanted later, such as a prefetch.
    case low
    /// The default.
    case normal
    /// For what somebody is looking at.
    case high
    /// Before everything else.
    case highest

    /// Whether `left` is less urgent than `right`.
    public static func < (left: LoadPriority, right: LoadPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A priority that can change while a load waits for its turn.
///
/// Whoever made it may set it at any time, from any task; what runs already is not held up.
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

    /// The priority as it is now.
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

    /// Calls a closure at each change, on the task that makes it; changes at the same moment may come in any
    /// order, so the closure does best to read ``value``.
    ///
    /// - Parameter body: What is called; it must return soon.
    /// - Returns: What ``stopObserving(_:)`` takes.
    package func observe(_ body: @escaping @Sendable (LoadPriority) -> Void) -> Int {
        state.withLock { state in
            state.observerCount += 1
            state.observers[state.observerCount] = body
            return state.observerCount
        }
    }

    /// Ends an observation; a change under way may still call the closure once.
    package func stopObserving(_ id: Int) {
        let removed = state.withLock { $0.observers.removeValue(forKey: id) }
        // Released outside the lock: the closure may own objects with expensive deinits.
        _ = removed
    }
}
