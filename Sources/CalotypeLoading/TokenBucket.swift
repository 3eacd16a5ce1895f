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
    private let limit: RateLimit
    /// When the bucket is full again if nobody asks.
    private var isFullAt = Duration.zero

    /// Starts full.
    init(_ limit: RateLimit) {
        self.limit = limit
    }

    /// Takes the next turn, and returns how long to wait for it: zero where the turn is now.
    ///
    /// The time is counted from any beginning and does not go back.
    mutating func take(at now: Duration) -> Duration {
        let interval = Duration.seconds(1 / limit.requestsPerSecond)
        isFullAt = max(isFullAt, now) + interval
        return max(.zero, isFullAt - now - interval * limit.burstCountMax)
    }
}
