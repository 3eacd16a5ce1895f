import CalotypeSupport

/// The presence of the client of a connection.
///
/// A client that has closed its side counts as gone, as in other servers: its unanswered requests are
/// cancelled.
final class ClientPresence: Sendable {
    private enum State {
        case present(leave: (@Sendable () -> Void)?)
        case gone
    }

    private let state = Guarded(State.present(leave: nil))

    /// Calls `leave` once the client has disconnected; at once if it already has.
    func whenGone(_ leave: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            guard case .present = state else { return true }
            state = .present(leave: leave)
            return false
        }
        if isGone { leave() }
    }

    var hasEnded: Bool {
        state.withLock { state in
            if case .gone = state { true } else { false }
        }
    }

    func end() {
        let leave = state.withLock { state -> (@Sendable () -> Void)? in
            guard case .present(let leave) = state else { return nil }
            state = .gone
            return leave
        }
        leave?()
    }
}
