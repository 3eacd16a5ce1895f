import CalotypeSupport

/// Delays requests to limit their rate.
final class FetchRateLimiter: Sendable {
    private let bucket: Guarded<TokenBucket>
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    /// Lets one load at a time take a turn and wait for it, so that a more urgent one may precede the others.
    private let gate = AdmissionGate(maxCount: 1)

    /// The number of loads without a turn.
    var waitingCount: Int { gate.waitingCount }

    init(_ limit: RateLimit, _ clock: some Clock<Duration>) {
        bucket = Guarded(TokenBucket(limit))
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Returns when the next request may be sent; the most urgent and oldest load has the next turn.
    ///
    /// - Parameters:
    ///   - priority: The priority, which may change during the wait.
    ///   - limit: The most time to wait; unlimited if `nil`.
    /// - Throws: ``FetchError/Code/overloaded`` if the wait is longer than that: at once if only the rate is
    ///   the reason; `CancellationError`, upon which another request gets the turn.
    func turn(_ priority: LivePriority = LivePriority(), within limit: Duration? = nil) async throws {
        try Task.checkCancellation()
        let start = elapsed()
        let permit = try await enter(priority, within: limit)
        defer { permit.end() }
        let now = elapsed()
        let taken = bucket.withLock { bucket -> Duration? in
            if let limit, bucket.delay(at: now) > max(.zero, limit - (now - start)) { return nil }
            return bucket.take(at: now)
        }
        guard let delay = taken else { throw Self.late }
        guard delay > .zero else { return }
        do {
            try await sleep(delay)
        } catch {
            bucket.withLock { $0.giveBack(now + delay) }
            throw error
        }
    }

    private func enter(
        _ priority: LivePriority,
        within limit: Duration?
    ) async throws -> AdmissionGate.Permit {
        if let permit = gate.enterAtOnce(priority) { return permit }
        guard let limit else { return try await gate.enter(priority) }
        return try await withThrowingTaskGroup(of: AdmissionGate.Permit.self) { [gate, sleep] group in
            group.addTask { try await gate.enter(priority) }
            group.addTask {
                try await sleep(limit)
                throw Self.late
            }
            defer { group.cancelAll() }
            guard let permit = try await group.next() else { throw CancellationError() }
            return permit
        }
    }

    private static let late = FetchError(
        .overloaded,
        isRetryable: true,
        detail: "rateLimit: other loads have taken all requests until the deadline of this one"
    )
}
