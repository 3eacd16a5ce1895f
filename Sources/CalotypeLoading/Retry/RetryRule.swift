/// A rule for retrying failed loads: ``RetryPolicy``, or a custom one.
///
/// A custom rule decides alone: it is called after every failure, even one that is not
/// ``FetchError/isRetryable``, and is not limited by the retry budget of an origin. It may wait by itself,
/// for example for the network to return, and then return `.zero`.
public protocol RetryRule: Sendable {
    /// Returns the delay before the next try; `nil` for none.
    ///
    /// - Parameters:
    ///   - retryCount: The number of retries so far, of the load and of its body.
    ///   - request: The failed request.
    ///   - error: The error.
    /// - Returns: The delay.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    func delay(afterRetries retryCount: Int, of request: FetchRequest, error: FetchError) async throws
        -> Duration?
}

extension RetryPolicy: RetryRule {
    /// As ``delay(afterRetries:error:jitter:)``, with a random jitter.
    public func delay(afterRetries retryCount: Int, of request: FetchRequest, error: FetchError) -> Duration?
    {
        delay(afterRetries: retryCount, error: error, jitter: .random(in: 0...1))
    }
}
