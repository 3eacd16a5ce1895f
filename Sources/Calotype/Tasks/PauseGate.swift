internal import CalotypeSupport

/// Lets loads pass unless all loads, or those of their host, are paused.
final class PauseGate: Sendable {
    private struct State: Sendable {
        var isPaused = false
        var hosts: Set<String> = []
        /// The waiting loads, by host.
        var waiters = WaitList<String>()

        func holds(_ host: String) -> Bool { isPaused || hosts.contains(host) }
    }

    private let state = Guarded(State())

    var waiterCount: Int { state.withLock(\.waiters.count) }

    /// True if all loads are paused, or those of a host.
    func isPaused(_ host: String?) -> Bool {
        state.withLock { state in host.map { state.hosts.contains($0.lowercased()) } ?? state.isPaused }
    }

    /// Pauses all loads, or those of a host.
    func pause(_ host: String?) {
        state.withLock { state in
            if let host { state.hosts.insert(host.lowercased()) } else { state.isPaused = true }
        }
    }

    /// Ends a pause, and resumes the loads that it has held.
    func resume(_ host: String?) {
        let free = state.withLock { state in
            if let host { state.hosts.remove(host.lowercased()) } else { state.isPaused = false }
            let (isPaused, hosts) = (state.isPaused, state.hosts)
            return state.waiters.take { !isPaused && !hosts.contains($0) }
        }
        for waiter in free { waiter.resume() }
    }

    /// Waits while a host is paused.
    ///
    /// - Throws: `CancellationError`.
    func pass(_ host: String?) async throws {
        let host = host?.lowercased() ?? ""
        let number = state.withLock { $0.holds(host) ? $0.waiters.enter(host) : nil }
        guard let number else { return }
        await state.wait(number, in: \.waiters)
        try Task.checkCancellation()
    }
}
