/// How many requests may be sent in a time.
public struct RateLimit: Hashable, Sendable {
    /// The requests in a second, on average; more than 0.
    public var requestsPerSecond: Double
    /// The most requests that go at once after a rest; at least 1.
    public var burstCountMax: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - requestsPerSecond: The requests in a second, on average.
    ///   - burstCountMax: The most requests that go at once after a rest; 1 unless set.
    /// - Precondition: `requestsPerSecond` is more than 0 and finite, `burstCountMax` at least 1.
    public init(requestsPerSecond: Double, burstCountMax: Int = 1) {
        precondition(requestsPerSecond > 0 && requestsPerSecond.isFinite, "no request could ever be sent")
        precondition(burstCountMax >= 1, "no request could ever be sent")
        self.requestsPerSecond = requestsPerSecond
        self.burstCountMax = burstCountMax
    }
}

/// Hands out turns at a limited rate.
///
/// Turns are handed out in the order they are asked for, also those that lie in the future.
struct TokenBucket: Sendable {
    /// Between two turns; at most a century, which no sum of durations overflows.
    private let interval: Duration
    /// How far ahead turns may be taken.
    private let burst: Duration
    /// When the bucket is full again without further turns.
    private var isFullAt = Duration.zero

    /// Starts full.
    init(_ limit: RateLimit) {
        let century = 3.2e9
        let seconds = min(century, 1 / limit.requestsPerSecond)
        interval = .seconds(seconds)
        burst = .seconds(min(century, seconds * Double(limit.burstCountMax)))
    }

    /// Takes the next turn, and returns how long to wait for it: zero where the turn is now.
    ///
    /// The time is counted from any beginning and does not go back.
    mutating func take(at now: Duration) -> Duration {
        isFullAt = max(isFullAt, now) + interval
        return max(.zero, isFullAt - now - burst)
    }
}
