public import CalotypeCore

/// The permitted use of a stored response, for one request, at one moment.
public enum Freshness: Hashable, Sendable {
    /// It may be used unchanged.
    case usable
    /// It may be used at once, and should be revalidated in the background for later requests.
    case usableWhileRevalidating
    /// It must be revalidated first, with ``ResponseRecord/conditionalHeaders``.
    ///
    /// If the origin then fails (``FetchError/isOriginFailure``), the response may be used until
    /// `usableOnErrorUntil`; if that is `nil`, not at all.
    case needsRevalidation(usableOnErrorUntil: Timestamp?)
    /// It belongs to a different request: send this request unconditionally.
    case unusable
    /// It must be revalidated, but the request has `only-if-cached`: the request fails.
    case unavailable
}

/// The times for which a program uses stored responses beyond the rules of their origin.
///
/// A lifetime counts from the receipt of a response. An origin's `no-cache` and `no-store` always apply, and
/// `must-revalidate` applies once a lifetime has ended.
public struct StaleAllowance: Hashable, Sendable {
    /// The time past the lifetime in which a response may be used while it is revalidated, unless the origin
    /// specifies it (RFC 5861); none unless set.
    public var whileRevalidating: Duration?

    /// The time past the lifetime in which a response may be used if the origin fails, unless the origin
    /// specifies it (RFC 5861); none unless set.
    public var ifError: Duration?

    /// The least lifetime, even if the origin specifies none or a shorter one; zero unless set.
    public var minLifetime: Duration = .zero

    /// The greatest lifetime; unlimited unless set.
    ///
    /// It takes precedence over the least lifetime.
    public var maxLifetime: Duration?

    /// Creates an allowance; none unless given.
    public init(
        whileRevalidating: Duration? = nil,
        ifError: Duration? = nil,
        minLifetime: Duration = .zero,
        maxLifetime: Duration? = nil
    ) {
        self.whileRevalidating = whileRevalidating
        self.ifError = ifError
        self.minLifetime = minLifetime
        self.maxLifetime = maxLifetime
    }

    /// Returns the lifetime from the receipt on, given the origin's.
    func lifetime(_ told: Duration) -> Duration {
        let lifetime = max(told, minLifetime)
        return maxLifetime.map { min(lifetime, $0) } ?? lifetime
    }
}

extension ResponseRecord {
    /// The longest heuristic lifetime.
    static let maxHeuristicLifetime: Duration = .seconds(24 * 60 * 60)

    /// The end of the lifetime that the origin specifies; otherwise, a tenth of the time since the last
    /// modification, at most 24 hours (RFC 9111 §4.2.2).
    public var freshUntil: Timestamp { receivedAt + (lifetime - ageAtReceipt) }

    /// The directives for servers that relay the response: private to one client, revalidated on each use,
    /// not used past its lifetime.
    package var directives: (isPrivate: Bool, isNoCache: Bool, isMustRevalidate: Bool) {
        let told = CacheControl(fields[.cacheControl] ?? "")
        return (told.isPrivate, told.isNoCache, told.isMustRevalidate)
    }

    /// Returns when a request without cache directives may use the stored response as it is, regardless of
    /// its other fields; `nil` for never, or if that depends on its fields.
    ///
    /// This precomputes ``freshness(for:at:allowing:)``, so that a hit takes one comparison.
    package func usableByAll(allowing allowance: StaleAllowance) -> Range<Timestamp>? {
        let told = CacheControl(fields[.cacheControl] ?? "")
        guard case .nothing = selector, !told.isNoCache, !told.forbidsStoring else { return nil }
        let end = receivedAt + allowance.lifetime(lifetime - ageAtReceipt)
        return receivedAt < end ? receivedAt..<end : nil
    }

    /// Returns the permitted use of the stored response.
    ///
    /// Applies the rules of RFC 9111 for a private cache, with `stale-while-revalidate` and `stale-if-error`
    /// of RFC 5861 and `immutable` of RFC 8246. It applies the request directives `no-cache`, `max-age`,
    /// `max-stale`, `min-fresh`, `stale-if-error` and `only-if-cached`. A record from the future, as after a
    /// clock correction, must be revalidated.
    ///
    /// - Parameters:
    ///   - request: The request, as passed to the loader.
    ///   - now: The current time.
    ///   - allowance: The times beyond the rules of the origin; none unless given.
    /// - Returns: The permitted use; the record is unchanged.
    public func freshness(
        for request: FetchRequest,
        at now: Timestamp,
        allowing allowance: StaleAllowance = StaleAllowance()
    ) -> Freshness {
        let asked = CacheControl(request.headers)
        let freshness = selector.matches(request) ? freshness(asked, now, allowance) : .unusable
        switch freshness {
        case .usable: return .usable
        // `only-if-cached` forbids any request, even in the background.
        case .usableWhileRevalidating: return asked.isOnlyIfCached ? .usable : freshness
        case .needsRevalidation, .unusable, .unavailable:
            return asked.isOnlyIfCached ? .unavailable : freshness
        }
    }

    private func freshness(_ asked: CacheControl, _ now: Timestamp, _ allowance: StaleAllowance) -> Freshness
    {
        let told = CacheControl(fields[.cacheControl] ?? "")
        if now < receivedAt || told.isNoCache || told.forbidsStoring || asked.isNoCache {
            return .needsRevalidation(usableOnErrorUntil: nil)
        }
        let sinceReceipt = now.duration(since: receivedAt)
        let age = ageAtReceipt + sinceReceipt
        let left = self.lifetime - ageAtReceipt
        let lifetime = allowance.lifetime(left)
        let staleness = sinceReceipt - lifetime
        // A program's times count from the receipt. Those of origins and clients count from the end of the
        // lifetime, which may be earlier.
        let overdue = allowance.minLifetime > .zero ? .zero : max(.zero, .zero - left)
        // RFC 8246 §2: a reload (`max-age=0`) does not revalidate immutable content; `no-cache` does.
        if told.isImmutable, staleness < .zero { return .usable }

        // A client may shorten the lifetime, require a remainder of it, and accept a time past its end.
        let ownShortage = staleness + overdue
        let shortage = asked.maxAge.map { max(ownShortage, age - .seconds($0)) } ?? ownShortage
        let missed = shortage + .seconds(asked.minFresh ?? 0)
        if missed < .zero { return .usable }
        if told.isMustRevalidate { return .needsRevalidation(usableOnErrorUntil: nil) }
        if let maxStale = asked.maxStale, missed <= .seconds(maxStale) { return .usable }
        let suitsClient = asked.minFresh == nil && asked.maxAge.map { age < .seconds($0) } ?? true
        // An origin's directive covers only its own response; a program's allowance also covers redirects.
        let redirectsHold =
            told.staleWhileRevalidate == nil || fields.redirectLifetime.map { sinceReceipt < $0 } ?? true
        let window =
            told.staleWhileRevalidate.map { .seconds($0) - overdue } ?? allowance.whileRevalidating
        if let window, suitsClient, redirectsHold, staleness <= window { return .usableWhileRevalidating }
        let onError = [asked.staleIfError, told.staleIfError].compactMap { $0 }.max().map {
            .seconds($0) - overdue
        }
        guard let window = onError ?? allowance.ifError, staleness <= window else {
            return .needsRevalidation(usableOnErrorUntil: nil)
        }
        return .needsRevalidation(usableOnErrorUntil: receivedAt + lifetime + window)
    }

    /// The age of the response at its receipt (RFC 9111 §4.2.3).
    package var ageAtReceipt: Duration {
        let apparent = receivedAt.duration(since: time(.date) ?? receivedAt)
        let told = Duration.seconds(fields[.age].flatMap(deltaSeconds) ?? 0)
        return max(.zero, apparent, told + receivedAt.duration(since: sentAt))
    }

    /// The lifetime from the origin's response on, limited by the redirects that led to it.
    private var lifetime: Duration {
        let redirectLifetime = fields.redirectLifetime.map { ageAtReceipt + $0 }
        return min(ownLifetime, redirectLifetime ?? ownLifetime)
    }

    /// The lifetime that the response itself specifies (RFC 9111 §4.2.1).
    private var ownLifetime: Duration {
        if let maxAge = CacheControl(fields[.cacheControl] ?? "").maxAge { return .seconds(maxAge) }
        let madeAt = time(.date) ?? receivedAt
        if fields[.expires] != nil {
            // An invalid date, most often `0`, is in the past (RFC 9111 §5.3).
            return max(.zero, time(.expires)?.duration(since: madeAt) ?? .zero)
        }
        guard let lastModified, Self.heuristicStatuses.contains(status) else { return .zero }
        return min(Self.maxHeuristicLifetime, max(.zero, madeAt.duration(since: lastModified) / 10))
    }
}

extension FetchError {
    /// Whether the origin failed, so that a stale response may be used if permitted.
    ///
    /// This is a failed or broken connection, a timeout, or a status 500, 502, 503 or 504 (RFC 5861 §4).
    public var isOriginFailure: Bool {
        if let status { return [500, 502, 503, 504].contains(status) }
        return [.hostNotFound, .connectionFailed, .connectionLost, .timedOut].contains(code)
    }
}
