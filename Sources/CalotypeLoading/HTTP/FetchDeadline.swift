struct FetchDeadline: Sendable {
    private let total: Duration
    private let latest: ContinuousClock.Instant?
    private let end: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates the deadline that leaves `remaining` of another one's time, counted from now.
    init(_ other: FetchDeadline, remaining: Duration) {
        total = other.total
        latest = other.latest
        now = other.now
        let end = now() + remaining
        self.end = latest.map { min($0, end) } ?? end
    }

    /// Starts the time.
    ///
    /// - Parameters:
    ///   - total: The most time for the load.
    ///   - latest: The time when it fails in any case, even if its own time is paused meanwhile.
    ///   - now: The clock.
    init(
        _ total: Duration,
        latest: ContinuousClock.Instant?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.total = total
        self.latest = latest
        self.now = now
        let end = now() + total
        self.end = latest.map { min($0, end) } ?? end
    }

    /// Returns the time left.
    ///
    /// - Throws: `timedOut` if none is left.
    func remaining() throws(FetchError) -> Duration {
        let remaining = now().duration(to: end)
        guard remaining > .zero else {
            throw FetchError(
                .timedOut,
                isRetryable: true,
                detail: latest.map { $0 <= end } ?? false
                    ? "timed out: the limit for the load with its retries has passed"
                    : "timed out: the limit for the whole load is \(total)"
            )
        }
        return remaining
    }
}
