/// When a load that has failed is tried again: ``RetryPolicy``, or a rule of one's own.
///
/// A rule of one's own decides alone: it is asked after every failure, also one that is not
/// ``FetchError/isRetryable``, and is not held to the share of retries that an origin is given. It may wait
/// by itself, for the network to come back, say, and then give `.zero`.
public protocol RetryRule: Sendable {
    /// How long to wait before the next try; `nil` where there is to be none.
    ///
    /// - Parameters:
    ///   - retryCount: The retries that there were already, of the load and of its body.
    ///   - request: What has failed.
    ///   - error: Why.
    /// - Returns: The time to wait.
    /// - Throws: `CancellationError` where the calling task is cancelled.
    func delay(afterRetries retryCount: Int, of request: FetchRequest, error: FetchError) async throws
        -> Duration?
}

extension RetryPolicy: RetryRule {
    /// As ``delay(afterRetries:error:jitter:)``, with a number drawn at random.
    public func delay(afterRetries retryCount: Int, of request: FetchRequest, error: FetchError) -> Duration?
    {
        delay(afterRetries: retryCount, error: error, jitter: .random(in: 0...1))
    }
}
