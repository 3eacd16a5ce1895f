import CalotypeSupport

/// Tries loads again that fail for a passing reason, and continues bodies that break off.
///
/// A body that breaks off with a retryable error is asked for from the first missing byte on (`Range`), under
/// the condition that the content is still the same (`If-Range` with a strong `ETag`, or a `Last-Modified` at
/// least a minute older than the answer). An origin that sends the whole instead is listened to where the
/// same strong `ETag` proves that the bytes are the same; those handed on already are passed over. Without
/// such proof, and where the retries are used up, the body fails with the error that broke it off. Chunks are
/// handed on as they come; nothing is kept.
///
/// Retries before and within the body count together. Each try has the time limits of the loader behind; no
/// place in its queue is held during a wait, and cancelling ends a wait at once. Put it directly around the
/// loader that talks to the network: bytes must not change in between.
public final class RetryingLoader: DataLoader {
    private let next: any DataLoader
    private let policy: RetryPolicy
    private let clock: any Clock<Duration>
    private let random: Guarded<any RandomNumberGenerator & Sendable>

    /// Creates a loader around another one.
    ///
    /// - Parameters:
    ///   - next: The loader that is asked.
    ///   - policy: When to try again; twice unless set.
    ///   - clock: What the waits are measured with.
    ///   - random: Where the jitter comes from.
    public init(
        _ next: any DataLoader,
        policy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.next = next
        self.policy = policy
        self.clock = clock
        self.random = Guarded(random)
    }

    /// Starts a load, again where it fails for a passing reason.
    ///
    /// - Throws: What the loader behind throws at the last try; `CancellationError`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        var retryCount = 0
        while true {
            do {
                let response = try await next.response(for: request)
                return continued(response, to: request, retryCount)
            } catch let error as FetchError {
                guard try await wait(after: error, &retryCount) else { throw error }
            }
        }
    }

    /// The identity that the loader behind gives.
    public func cacheIdentity(for request: FetchRequest) -> String {
        next.cacheIdentity(for: request)
    }

    /// Shuts the loader behind down.
    public func shutdown() async {
        await next.shutdown()
    }

    /// Waits for the next try, and tells whether there is one.
    ///
    /// - Throws: `CancellationError`.
    func wait(after error: FetchError, _ retryCount: inout Int) async throws -> Bool {
        let jitter = random.withLock { Double.random(in: 0...1, using: &$0) }
        let delay = policy.delay(afterRetries: retryCount, error: error, jitter: jitter)
        guard let delay else { return false }
        retryCount += 1
        try await clock.sleep(for: delay)
        return true
    }

    /// Asks for the rest of a body.
    func answer(to request: FetchRequest) async throws -> FetchResponse {
        try await next.response(for: request)
    }

    private func continued(
        _ response: FetchResponse,
        to request: FetchRequest,
        _ retryCount: Int
    ) -> FetchResponse {
        guard policy.retryCountMax > retryCount else { return response }
        var continued = response
        continued.body = FetchBody {
            var reader = ResumingReader(response, to: request, self, retryCount: retryCount)
            return FetchBody.Iterator { try await reader.next() }
        }
        return continued
    }
}
