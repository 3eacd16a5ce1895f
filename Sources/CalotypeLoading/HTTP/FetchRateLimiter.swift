import CalotypeSupport

/// Delays requests to limit their rate.
final class FetchRateLimiter: Sendable {
    private let bucket: Guarded<TokenBucket>
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    init(_ limit: RateLimit, _ clock: some Clock<Duration>) {
        bucket = Guarded(TokenBucket(limit))
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Returns when the next request may be sent.
    ///
    /// - Throws: `CancellationError`.
    func turn() async throws {
        try Task.checkCancellation()
        let now = elapsed()
        let delay = bucket.withLock { $0.take(at: now) }
        if delay > .zero { try await sleep(delay) }
    }
}
