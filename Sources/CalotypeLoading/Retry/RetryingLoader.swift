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
/// place in its queue is held during a wait, and cancelling ends a wait at once. An origin that has asked for
/// a pause (`Retry-After` with 429), and a URL that has (with 503), is not asked in it, also where redirects
/// lead there: loads that could wait so long do, others fail at once. Retries of an origin are a tenth of its
/// loads, beside ten to begin with. Put it directly around the loader that talks to the network: bytes must
/// not change in between.
public final class RetryingLoader: DataLoader {
    private let next: any DataLoader
    private let policy: RetryPolicy
    private let clock: any Clock<Duration>
    private let random: Guarded<any RandomNumberGenerator & Sendable>
    private let origins = Guarded(OriginMemory())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a loader around another one.
    ///
    /// - Parameters:
    ///   - next: The loader that is asked.
    ///   - policy: When to try again; twice unless set.
    ///   - clock: What the waits are measured with.
    ///   - random: Where the jitter comes from.
    public convenience init(
        _ next: any DataLoader,
        policy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.init(next, policy: policy, clock: clock, random: random, now: { .now })
    }

    /// Creates a loader whose pauses of origins are measured with a clock of their own.
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

    /// Starts a load, again where it fails for a passing reason.
    ///
    /// - Throws: What the loader behind throws at the last try; `CancellationError`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        var retryCount = 0
        let origin = request.url.originText
        var refusal = origins.withLock { origins in
            origins.noteLoad(of: origin)
            return origins.refusal(of: request.url, at: now())
        }
        var request = request
        request.refusal = { [self] url in origins.withLock { $0.refusal(of: url, at: now()) } }
        while true {
            let error: FetchError
            if let refused = refusal.take() {
                error = refused
            } else {
                do {
                    return continued(try await next.response(for: request), to: request, retryCount)
                } catch let failure as FetchError {
                    origins.withLock { $0.note(failure, of: request.url, at: now()) }
                    error = failure
                }
            }
            guard !request.isTriedOnce, try await wait(after: error, of: request, &retryCount) else {
                throw error
            }
        }
    }

    /// The identity that the loader behind gives.
    public func cacheIdentity(for request: FetchRequest) -> String {
        next.cacheIdentity(for: request)
    }

    /// That of the loader behind.
    public var hasCacheIdentity: Bool { next.hasCacheIdentity }

    /// That of the loader behind.
    public var activity: LoaderActivity { next.activity }

    /// Shuts the loader behind down.
    public func shutdown() async {
        await next.shutdown()
    }

    /// Waits for the next try, and tells whether there is one.
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
        request.tally?.noteRetry()
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
        request.tally?.noteRetry()
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
        let policy = request.retryRule.map { $0 as? RetryPolicy } ?? policy
        guard policy.map({ $0.retryCountMax > retryCount }) ?? true, !request.isTriedOnce, request.isPlainGet
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
    /// Whether its deadline lets it wait so long, and be sent again.
    fileprivate func hasTime(for delay: Duration, at now: ContinuousClock.Instant) -> Bool {
        deadline.map { now + delay < $0 } ?? true
    }
}
