import CalotypeSupport

/// A loader that retries loads with transient failures, and resumes interrupted bodies.
///
/// A body interrupted by a retryable error is requested from the first missing byte on (`Range`), on
/// condition that the content is unchanged (`If-Range` with a strong `ETag`, or a `Last-Modified` at least a
/// minute older than the response). If an origin sends the whole instead, it is used if the same strong
/// `ETag` proves that the bytes are the same; those passed on already are skipped. Without such proof, or
/// without retries left, the body fails with the error that interrupted it. Chunks are passed on as they
/// arrive; none is stored.
///
/// Retries before and within the body count together. Each try has the time limits of the inner loader; no
/// permit of its queue is held during a delay, and cancelling ends a delay at once. An origin that has
/// requested a pause (`Retry-After` with 429), or a URL that has (with 503), is not contacted during it, even
/// by redirects: loads that may wait that long do, others fail at once. Retries of an origin are limited to a
/// tenth of its loads, in addition to ten initial ones. Wrap it directly around the network loader: bytes
/// must not change in between.
public final class RetryingLoader: DataLoader {
    private let next: any DataLoader
    private let policy: RetryPolicy
    private let clock: any Clock<Duration>
    private let random: Guarded<any RandomNumberGenerator & Sendable>
    private let origins = Guarded(OriginBackoff())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a loader around another one.
    ///
    /// - Parameters:
    ///   - next: The inner loader.
    ///   - policy: The retry policy; two retries unless set.
    ///   - clock: The clock for delays.
    ///   - random: The source of the jitter.
    public convenience init(
        _ next: any DataLoader,
        policy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.init(next, policy: policy, clock: clock, random: random, now: { .now })
    }

    /// Creates a loader with a separate clock for the pauses of origins.
    package init(
        _ next: any DataLoader,
        policy: RetryPolicy,
        clock: any Clock<Duration>,
        random: any RandomNumberGenerator & Sendable,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.next = next
        self.policy = policy
        self.clock = clock
        self.random = Guarded(random)
        self.now = now
    }

    /// Starts a load, and retries it after transient failures.
    ///
    /// - Throws: The error of the inner loader at the last try; `CancellationError`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        var retryCount = 0
        origins.withLock { $0.noteLoad(of: request.url.originText) }
        var request = request
        request.refusal = { [self] url in origins.withLock { $0.refusal(of: url, at: now()) } }
        var cause: FetchError?
        while true {
            do {
                return continued(try await response(to: request, after: cause), to: request, retryCount)
            } catch let error as FetchError {
                guard !request.isSingleAttempt, try await wait(after: error, of: request, &retryCount) else {
                    throw error
                }
                cause = error
            }
        }
    }

    /// Returns the identity from the inner loader.
    public func cacheIdentity(for request: FetchRequest) -> String {
        next.cacheIdentity(for: request)
    }

    /// Whether the inner loader may have an identity.
    public var hasCacheIdentity: Bool { next.hasCacheIdentity }

    /// The activity of the inner loader.
    public var activity: LoaderActivity { next.activity }

    /// Shuts the inner loader down.
    public func shutdown() async {
        await next.shutdown()
    }

    /// Waits for the next try; returns whether there is one.
    ///
    /// - Throws: `CancellationError`.
    func wait(after error: FetchError, of request: FetchRequest, _ retryCount: inout Int) async throws -> Bool
    {
        guard request.isPlainGet || request.retryRule != nil else { return false }
        if let rule = request.retryRule, !(rule is RetryPolicy) {
            return try await wait(by: rule, after: error, of: request, &retryCount)
        }
        let policy = request.retryRule as? RetryPolicy ?? policy
        let origin = request.url.originText
        let jitter = random.withLock { Double.random(in: 0...1, using: &$0) }
        let delay = policy.delay(afterRetries: retryCount, error: error, jitter: jitter)
        guard let delay, request.hasTime(for: delay, at: now()),
            origins.withLock({ $0.takeRetry(of: origin, at: now()) })
        else { return false }
        retryCount += 1
        try await clock.sleep(for: delay)
        request.tally?.recordRetry()
        return true
    }

    private func wait(
        by rule: any RetryRule,
        after error: FetchError,
        of request: FetchRequest,
        _ retryCount: inout Int
    ) async throws -> Bool {
        let delay = try await rule.delay(afterRetries: retryCount, of: request, error: error)
        try Task.checkCancellation()
        guard let delay, request.hasTime(for: delay, at: now()) else { return false }
        retryCount += 1
        if delay > .zero { try await clock.sleep(for: delay) }
        request.tally?.recordRetry()
        return true
    }

    /// Makes one try of a load, or of the rest of a body, unless its origin has requested a pause.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - cause: The error of the try before. A pause that it contains has been waited for.
    /// - Returns: The response.
    /// - Throws: The error of the inner loader, or the error that began the pause.
    func response(to request: FetchRequest, after cause: FetchError?) async throws -> FetchResponse {
        if cause?.retryAfter == nil, let refusal = request.refusal?(request.url) { throw refusal }
        do {
            return try await next.response(for: request)
        } catch let failure as FetchError {
            origins.withLock { $0.note(failure, of: request.url, at: now()) }
            throw failure
        }
    }

    private func continued(
        _ response: FetchResponse,
        to request: FetchRequest,
        _ retryCount: Int
    ) -> FetchResponse {
        let policy = request.retryRule.map { $0 as? RetryPolicy } ?? policy
        guard policy.map({ $0.maxRetryCount > retryCount }) ?? true, !request.isSingleAttempt,
            request.isPlainGet
        else { return response }
        var continued = response
        continued.body = FetchBody {
            var reader = ResumingReader(response, to: request, self, retryCount: retryCount)
            return FetchBody.Iterator { try await reader.next() }
        }
        return continued
    }
}

extension FetchRequest {
    /// Returns whether the deadline allows this delay and another try.
    fileprivate func hasTime(for delay: Duration, at now: ContinuousClock.Instant) -> Bool {
        deadline.map { now + delay < $0 } ?? true
    }
}
