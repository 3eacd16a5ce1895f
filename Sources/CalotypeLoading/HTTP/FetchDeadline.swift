/// The instant by which a load has to be done.
struct FetchDeadline: Sendable {
    private let total: Duration
    private let end: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant

    /// The same with what is left of another, which counts from now on.
    init(_ other: FetchDeadline, remaining: Duration) {
        (total, now) = (other.total, other.now)
        end = now() + remaining
    }

    /// Starts the time.
    init(_ total: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.total = total
        self.now = now
        end = now() + total
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
                detail: "timed out: the limit for the whole load is \(total)"
            )
        }
        return remaining
    }
}
