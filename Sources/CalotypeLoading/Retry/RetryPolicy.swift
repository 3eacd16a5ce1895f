/// The rules for retrying failed loads, and the delays before retries.
///
/// Only errors with ``FetchError/isRetryable`` are retried, except ``FetchError/Code/overloaded``: a full
/// queue refuses at once. The delay is drawn between zero and a bound that doubles with each try ("full
/// jitter"), so that the clients of a failing origin do not all return at once. If the origin specifies a
/// time (`Retry-After`), the delay is at least that long.
public struct RetryPolicy: Hashable, Sendable {
    /// The most retries; 2 unless set.
    public var maxRetryCount = 2
    /// The bound of the delay before the first retry; 0.5 s unless set.
    public var maxFirstDelay: Duration = .milliseconds(500)
    /// The longest delay; 10 s unless set.
    ///
    /// If the origin requests a longer one, the load fails at once, with the error that contains it
    /// (``FetchError/retryAfter``).
    public var maxDelay: Duration = .seconds(10)

    /// Creates the policy with the defaults.
    public init() {}

    /// The policy without retries.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.maxRetryCount = 0
        return policy
    }()

    /// Returns the delay before the next try.
    ///
    /// - Parameters:
    ///   - retryCount: The number of retries so far.
    ///   - error: The error of the last try.
    ///   - jitter: A random number in 0...1.
    /// - Returns: `nil` for no further try.
    public func delay(afterRetries retryCount: Int, error: FetchError, jitter: Double) -> Duration? {
        // A full queue must not become a longer queue of retries.
        guard error.isRetryable, error.code != .overloaded, retryCount < maxRetryCount else { return nil }
        let wished = error.retryAfter ?? .zero
        guard wished <= maxDelay else { return nil }
        var bound = maxFirstDelay
        // Terminates: a bound that is not positive never grows, any other soon exceeds the limit.
        for _ in 0..<min(max(0, retryCount), 64) where bound < maxDelay { bound = bound * 2 }
        return max(.zero, wished, min(bound, maxDelay) * min(max(0, jitter), 1))
    }
}

extension [HeaderField] {
    /// The delay that the origin requests before the next request: `Retry-After`, RFC 9110 §10.2.3.
    ///
    /// A date is relative to the `Date` of the same response, so that no clock has to be right; without
    /// `Date` it is ignored.
    var retryAfter: Duration? {
        guard let value = firstValue(of: "retry-after") else { return nil }
        if let seconds = deltaSeconds(value) { return .seconds(seconds) }
        return firstValue(of: "date").flatMap { HTTPDate.interval(from: $0, to: value) }.map {
            Swift.max(.zero, $0)
        }
    }
}
