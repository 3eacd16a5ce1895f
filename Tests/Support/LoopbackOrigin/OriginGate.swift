/// A gate that holds responses back until a test opens it.
///
/// Once open it stays open. Waiters resume in no particular order.
package actor OriginGate {
    private var isOpen = false
    private var arrivalCount = 0
    private var lastNumber = 0
    private var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    package init() {}

    /// Opens the gate for current and later waiters.
    package func open() {
        isOpen = true
        for waiter in waiters.values { waiter.resume() }
        waiters = [:]
    }

    /// Returns when `count` responses in all have reached the gate.
    package func arrived(count: Int = 1) async {
        if arrivalCount >= count { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Returns when the gate is open.
    ///
    /// - Throws: `CancellationError`.
    func wait() async throws {
        arrivalCount += 1
        for watcher in watchers where watcher.count <= arrivalCount { watcher.continuation.resume() }
        watchers.removeAll { $0.count <= arrivalCount }
        if isOpen { return }
        lastNumber += 1
        let number = lastNumber
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                // A cancellation before this point found no continuation to resume.
                if Task.isCancelled {
                    waiter.resume(throwing: CancellationError())
                } else {
                    waiters[number] = waiter
                }
            }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    private func cancel(_ number: Int) {
        waiters.removeValue(forKey: number)?.resume(throwing: CancellationError())
    }
}
