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
    /// - Parameter limit: The most time to wait; unlimited if `nil`.
    /// - Throws: ``FetchError/Code/overloaded``, at once, if the wait would be longer than that;
    ///   `CancellationError`, upon which another request gets the turn.
    func turn(within limit: Duration? = nil) async throws {
        try Task.checkCancellation()
        let now = elapsed()
        let taken = bucket.withLock { bucket -> Duration? in
            if let limit, bucket.delay(at: now) > max(.zero, limit) { return nil }
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

    private static let late = FetchError(
        .overloaded,
        isRetryable: true,
        detail: "rateLimit: other loads have taken all requests until the deadline of this one"
    )
}
