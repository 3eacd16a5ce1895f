/// A limit for the rate of requests.
public struct RateLimit: Hashable, Sendable {
    /// The average number of requests per second; more than 0.
    public var requestsPerSecond: Double
    /// The most requests sent at once after a pause; at least 1.
    public var maxBurstCount: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - requestsPerSecond: The average number of requests per second.
    ///   - maxBurstCount: The most requests sent at once after a pause; 1 unless set.
    /// - Precondition: `requestsPerSecond` is more than 0 and finite, `maxBurstCount` at least 1.
    public init(requestsPerSecond: Double, maxBurstCount: Int = 1) {
        precondition(requestsPerSecond > 0 && requestsPerSecond.isFinite, "no request could ever be sent")
        precondition(maxBurstCount >= 1, "no request could ever be sent")
        self.requestsPerSecond = requestsPerSecond
        self.maxBurstCount = maxBurstCount
    }
}

/// A token bucket that grants turns at a limited rate.
///
/// Turns are granted in the order of the requests, including those in the future; a turn that is returned
/// before it is due is granted to the next request.
struct TokenBucket: Sendable {
    /// The time between two turns; at most a century, so that sums of durations do not overflow.
    private let interval: Duration
    /// The time by which turns may be taken ahead.
    private let burst: Duration
    /// The time when the bucket will be full again without further turns.
    private var isFullAt = Duration.zero
    /// The times of the turns that have been returned, latest first.
    private var returned: [Duration] = []

    init(_ limit: RateLimit) {
        let century = 3.2e9
        let seconds = min(century, 1 / limit.requestsPerSecond)
        interval = .seconds(seconds)
        burst = .seconds(min(century, seconds * Double(limit.maxBurstCount)))
    }

    /// Returns the time to wait for the next turn; zero if it is due now.
    func delay(at now: Duration) -> Duration {
        if let turn = returned.last(where: { $0 >= now }) { return turn - now }
        return max(.zero, max(isFullAt, now) + interval - now - burst)
    }

    /// Takes the next turn, and returns the time to wait for it; zero if it is due now.
    ///
    /// The time counts from any fixed moment and must not go back.
    mutating func take(at now: Duration) -> Duration {
        let delay = delay(at: now)
        while let turn = returned.popLast() {
            if turn >= now { return delay }
        }
        isFullAt = max(isFullAt, now) + interval
        return delay
    }

    /// Returns a turn by its time, before it is due.
    mutating func giveBack(_ turn: Duration) {
        returned.insert(turn, at: returned.firstIndex { $0 < turn } ?? returned.endIndex)
    }
}
