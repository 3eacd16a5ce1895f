internal import CalotypeSupport

/// A gate at which tasks wait until it is opened; it stays open.
///
/// It lets a test order events without sleeping.
public final class AsyncGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether it has been opened.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Releases all waiters, now and later.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the gate is open; ignores cancellation.
    public func wait() async {
        await withCheckedContinuation { continuation in
            let passes = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if passes { continuation.resume() }
        }
    }
}

// Unchecked because the compiler does not know the condition, under whose lock alone the state is accessed.
/// A gate for threads that may block; it stays open once opened.
public final class BlockingGate: @unchecked Sendable {
    private let condition = Condition()
    private var isOpen = false

    /// Creates a closed gate.
    public init() {}

    /// Releases all waiters, now and later.
    public func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    /// Blocks the thread until the gate is open.
    public func wait() {
        condition.withLock {
            while !isOpen { condition.wait() }
        }
    }
}
