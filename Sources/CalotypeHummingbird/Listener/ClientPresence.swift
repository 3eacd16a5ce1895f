import CalotypeSupport

/// Whether the client of a connection is still there.
///
/// One that has closed its side is gone, as for other servers: what it has asked for and not got is
/// cancelled.
final class ClientPresence: Sendable {
    private enum State {
        case present(leave: (@Sendable () -> Void)?)
        case gone
    }

    private let state = Guarded(State.present(leave: nil))

    /// Calls `leave` once the client has left; at once where it has already.
    func whenGone(_ leave: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            guard case .present = state else { return true }
            state = .present(leave: leave)
            return false
        }
        if isGone { leave() }
    }

    /// Whether the client has left.
    var hasEnded: Bool {
        state.withLock { state in
            if case .gone = state { true } else { false }
        }
    }

    /// The client has left.
    func end() {
        let leave = state.withLock { state -> (@Sendable () -> Void)? in
            guard case .present(let leave) = state else { return nil }
            state = .gone
            return leave
        }
        leave?()
    }
}
