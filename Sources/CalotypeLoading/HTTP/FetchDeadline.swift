/// The instant by which a load has to be done.
struct FetchDeadline: Sendable {
    private let total: Duration
    private let latest: ContinuousClock.Instant?
    private let end: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant

    /// The same with what is left of another, which counts from now on.
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
    ///   - total: How long the load may take.
    ///   - latest: When it has failed in any case, also where its time stands still meanwhile.
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

    /// The time that is left.
    ///
    /// - Throws: `timedOut` where none is.
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
