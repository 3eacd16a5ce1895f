internal import CalotypeSupport

/// Lets loads pass unless all loads, or those of their host, are paused.
final class PauseGate: Sendable {
    private struct State: Sendable {
        var isPaused = false
        var hosts: Set<String> = []
        var waiters: [Int: (host: String, continuation: CheckedContinuation<Void, Never>)] = [:]
        var lastNumber = 0

        func holds(_ host: String) -> Bool { isPaused || hosts.contains(host) }

        mutating func takeFree() -> [CheckedContinuation<Void, Never>] {
            // In the order of their arrival.
            let free = waiters.filter { !holds($0.value.host) }.sorted { $0.key < $1.key }
            for (number, _) in free { waiters[number] = nil }
            return free.map(\.value.continuation)
        }
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
            return state.takeFree()
        }
        for continuation in free { continuation.resume() }
    }

    /// Waits while a host is paused.
    ///
    /// - Throws: `CancellationError`.
    func pass(_ host: String?) async throws {
        let host = host?.lowercased() ?? ""
        guard state.withLock({ $0.holds(host) }) else { return }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    guard state.holds(host), !Task.isCancelled else { return true }
                    state.waiters[number] = (host, continuation)
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }
}
