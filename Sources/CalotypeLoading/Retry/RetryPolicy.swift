/// When a load that has failed is tried again, and how long it waits before.
///
/// Only errors with ``FetchError/isRetryable`` are tried again, but for ``FetchError/Code/overloaded``: a
/// full queue refuses at once. The wait is drawn between zero and a bound
/// that doubles from try to try ("full jitter"), so that many clients of an origin in trouble do not come
/// back at once. Where the origin names a time (`Retry-After`), the wait is at least that long.
public struct RetryPolicy: Hashable, Sendable {
    /// The most tries after the first; 2 unless set.
    public var retryCountMax = 2
    /// The bound of the wait before the first retry; 0.5 s unless set.
    public var firstDelayMax: Duration = .milliseconds(500)
    /// The longest wait; 10 s unless set.
    ///
    /// A load whose origin asks for a longer one fails at once, with the error that says so
    /// (``FetchError/retryAfter``).
    public var delayMax: Duration = .seconds(10)

    /// Creates the policy with the defaults.
    public init() {}

    /// Nothing is tried again.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.retryCountMax = 0
        return policy
    }()

    /// How long to wait before the next try.
    ///
    /// - Parameters:
    ///   - retryCount: The number of retries there were already.
    ///   - error: Why the last try failed.
    ///   - jitter: A number drawn from 0...1.
    /// - Returns: `nil` where there is to be no further try.
    public func delay(afterRetries retryCount: Int, error: FetchError, jitter: Double) -> Duration? {
        // A queue that is full must not become a longer queue of those who wait to ask again.
        guard error.isRetryable, error.code != .overloaded, retryCount < retryCountMax else { return nil }
        let wished = error.retryAfter ?? .zero
        guard wished <= delayMax else { return nil }
        var bound = firstDelayMax
        // Ends soon: a bound that is not positive never grows, any other doubles past the limit.
        for _ in 0..<min(max(0, retryCount), 64) where bound < delayMax { bound = bound * 2 }
        return max(.zero, wished, min(bound, delayMax) * min(max(0, jitter), 1))
    }
}

extension [HeaderField] {
    /// How long the origin asks to wait before the next request: `Retry-After`, RFC 9110 §10.2.3.
    ///
    /// A date is counted from the `Date` of the same answer, so that no clock has to be right; without one it
    /// says nothing.
    var retryAfter: Duration? {
        guard let value = firstValue(of: "retry-after") else { return nil }
        if let seconds = deltaSeconds(value) { return .seconds(seconds) }
        return firstValue(of: "date").flatMap { HTTPDate.interval(from: $0, to: value) }.map {
            Swift.max(.zero, $0)
        }
    }
}
