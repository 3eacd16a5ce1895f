import CalotypeTransfer

struct FetchDeadline: Sendable {
    private let total: Duration
    private let latest: ContinuousClock.Instant?
    private let end: ContinuousClock.Instant
    /// The time that the load has waited for its turns.
    private let waited: Duration
    /// True if waiting has left less time than it took: running out of it is not a failure of the origin.
    private let isCut: Bool
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates the deadline that leaves `remaining` of another one's time, counted from now.
    init(_ other: FetchDeadline, remaining: Duration) {
        let waited = other.waited + other.end.duration(to: other.now() + remaining)
        self.init(other.total, remaining: remaining, latest: other.latest, waited: waited, now: other.now)
    }

    /// Starts the time.
    ///
    /// - Parameters:
    ///   - total: The most time for the load.
    ///   - remaining: The part of it that is left; all unless given.
    ///   - latest: The time when it fails in any case, even if its own time is paused meanwhile.
    ///   - waited: The time that the load has waited for its turn.
    ///   - now: The clock.
    init(
        _ total: Duration,
        remaining: Duration? = nil,
        latest: ContinuousClock.Instant?,
        waited: Duration = .zero,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.total = total
        self.latest = latest
        self.waited = waited
        self.now = now
        let start = now()
        let end = start + (remaining ?? total)
        self.end = latest.map { min($0, end) } ?? end
        isCut = latest.map { $0 <= end && start.duration(to: $0) <= waited } ?? false
    }

    /// Returns the time left.
    ///
    /// - Throws: `timedOut` if none is left; `overloaded` if waiting has taken most of it.
    func remaining() throws(FetchError) -> Duration {
        let remaining = now().duration(to: end)
        guard remaining > .zero else {
            if isCut { throw Self.late }
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

    /// Returns the error of a transfer that has failed.
    func failure(_ error: TransferError, host: String) -> FetchError {
        isCut && error.kind == .totalTimedOut ? Self.late : FetchError(error, host: host)
    }

    private static let late = FetchError(
        .overloaded,
        isRetryable: true,
        detail: "waiting for other loads, or for the end of a pause, took most of the time limit of the load"
    )
}

extension FetchRequest {
    /// Returns the time left to the request's deadline; `nil` without one.
    func timeLeft(at now: ContinuousClock.Instant) -> Duration? { deadline.map { now.duration(to: $0) } }
}
