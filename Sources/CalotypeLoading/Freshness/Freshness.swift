public import CalotypeCore

/// What may be done with a stored answer, for one request, at one moment.
public enum Freshness: Hashable, Sendable {
    /// It may be used as it is.
    case usable
    /// It may be used at once, and is to be validated meanwhile for those who come later.
    case usableWhileRevalidating
    /// The origin is to be asked first, with ``ResponseRecord/conditionalHeaders``.
    ///
    /// Where the origin then fails (``FetchError/isOriginFailure``), the answer may be used until
    /// `usableOnErrorUntil`; not at all where that is `nil`.
    case needsRevalidation(usableOnErrorUntil: Timestamp?)
    /// It suits another request, not this one: this one is to be sent as if nothing were stored.
    case unusable
    /// The origin would have to be asked, but the request says `only-if-cached`: it fails.
    case unavailable
}

/// How long a program uses stored responses beside what their origin says.
///
/// A lifetime counts from the receipt of a response. `no-cache` and `no-store` of an origin hold in any case,
/// and `must-revalidate` where a lifetime has ended.
public struct StaleAllowance: Hashable, Sendable {
    /// How long a response may be used past its lifetime while it is asked for anew, where the origin has not
    /// said so itself (RFC 5861); not at all unless set.
    public var whileRevalidating: Duration?

    /// How long it may be used where the origin fails, where that has not said so itself (RFC 5861); not at
    /// all unless set.
    public var ifError: Duration?

    /// The least lifetime, also where the origin gives none or a shorter one; zero unless set.
    public var minimumLifetime: Duration = .zero

    /// The greatest lifetime; any unless set.
    ///
    /// It counts for more than the least.
    public var maximumLifetime: Duration?

    /// Creates an allowance; none unless given.
    public init(
        whileRevalidating: Duration? = nil,
        ifError: Duration? = nil,
        minimumLifetime: Duration = .zero,
        maximumLifetime: Duration? = nil
    ) {
        self.whileRevalidating = whileRevalidating
        self.ifError = ifError
        self.minimumLifetime = minimumLifetime
        self.maximumLifetime = maximumLifetime
    }

    /// The lifetime from the receipt on, where the origin gives this one.
    func lifetime(_ told: Duration) -> Duration {
        let lifetime = max(told, minimumLifetime)
        return maximumLifetime.map { min(lifetime, $0) } ?? lifetime
    }
}

extension ResponseRecord {
    /// The longest lifetime by rule of thumb.
    static let heuristicLifetimeMax: Duration = .seconds(24 * 60 * 60)

    /// The end of the lifetime that the origin has given; without one, a tenth of the time that the content
    /// had been unchanged, at most 24 hours (RFC 9111 §4.2.2).
    public var freshUntil: Timestamp { receivedAt + (lifetime - ageAtReceipt) }

    /// What the answer says to whoever passes on what was made of it: whether it is one client's alone, is to
    /// be asked for each time, and is not to be used past its lifetime.
    package var directives: (isPrivate: Bool, isNoCache: Bool, isMustRevalidate: Bool) {
        let told = CacheControl(fields[.cacheControl] ?? "")
        return (told.isPrivate, told.isNoCache, told.isMustRevalidate)
    }

    /// When a request that says nothing to caches may use the stored answer as it is, whatever else it says;
    /// `nil` for never, and where that depends on its fields.
    ///
    /// What ``freshness(for:at:allowing:)`` says at length; asked for once, it makes a hit a comparison.
    package func usableByAll(allowing allowance: StaleAllowance) -> Range<Timestamp>? {
        let told = CacheControl(fields[.cacheControl] ?? "")
        guard case .nothing = selector, !told.isNoCache, !told.forbidsStoring else { return nil }
        let end = receivedAt + allowance.lifetime(lifetime - ageAtReceipt)
        return receivedAt < end ? receivedAt..<end : nil
    }

    /// What may be done with the stored answer.
    ///
    /// The rules of RFC 9111 for a private cache, with `stale-while-revalidate` and `stale-if-error` of RFC
    /// 5861 and `immutable` of RFC 8246. The directives `no-cache`, `max-age`, `max-stale`, `min-fresh`,
    /// `stale-if-error` and `only-if-cached` of the request are heeded. A record from the future, as after a
    /// correction of the clock, is validated.
    ///
    /// - Parameters:
    ///   - request: The request, as it would be given to the loader.
    ///   - now: The time now.
    ///   - allowance: How long the answer may be used beside what its origin says; no longer unless given.
    /// - Returns: What may be done; the record is unchanged.
    public func freshness(
        for request: FetchRequest,
        at now: Timestamp,
        allowing allowance: StaleAllowance = StaleAllowance()
    ) -> Freshness {
        let asked = CacheControl(request.headers)
        let freshness = selector.matches(request) ? freshness(asked, now, allowance) : .unusable
        switch freshness {
        case .usable: return .usable
        // Nobody is to be asked, not even meanwhile.
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
        let lifetime = allowance.lifetime(lifetime - ageAtReceipt)
        let staleness = sinceReceipt - lifetime
        // RFC 8246 §2: a reload (`max-age=0`) does not ask for what cannot have changed; `no-cache` does.
        if told.isImmutable, staleness < .zero { return .usable }

        // The client may shorten the lifetime, ask for a rest of it, and accept some time past its end.
        let shortage = max(staleness, asked.maxAge.map { age - .seconds($0) } ?? staleness)
        let missed = shortage + .seconds(asked.minFresh ?? 0)
        if missed < .zero { return .usable }
        if told.isMustRevalidate { return .needsRevalidation(usableOnErrorUntil: nil) }
        if let maxStale = asked.maxStale, missed <= .seconds(maxStale) { return .usable }
        let suitsClient = asked.minFresh == nil && asked.maxAge.map { age < .seconds($0) } ?? true
        // An origin speaks for its own response; a program's allowance is for redirects as well.
        let redirectsHold =
            told.staleWhileRevalidate == nil || fields.redirectLifetime.map { sinceReceipt < $0 } ?? true
        let window = told.staleWhileRevalidate.map { Duration.seconds($0) } ?? allowance.whileRevalidating
        if let window, suitsClient, redirectsHold, staleness <= window { return .usableWhileRevalidating }
        let onError = [asked.staleIfError, told.staleIfError].compactMap { $0 }.max().map {
            Duration.seconds($0)
        }
        guard let window = onError ?? allowance.ifError, staleness <= window else {
            return .needsRevalidation(usableOnErrorUntil: nil)
        }
        return .needsRevalidation(usableOnErrorUntil: receivedAt + lifetime + window)
    }

    /// How old the answer was when it came (RFC 9111 §4.2.3).
    package var ageAtReceipt: Duration {
        let apparent = receivedAt.duration(since: time(.date) ?? receivedAt)
        let told = Duration.seconds(fields[.age].flatMap(deltaSeconds) ?? 0)
        return max(.zero, apparent, told + receivedAt.duration(since: sentAt))
    }

    /// How long the answer may be used from the moment the origin made it, as long as the redirects that led
    /// to it hold.
    private var lifetime: Duration {
        let redirectLifetime = fields.redirectLifetime.map { ageAtReceipt + $0 }
        return min(ownLifetime, redirectLifetime ?? ownLifetime)
    }

    /// How long it may be used by what it says itself (RFC 9111 §4.2.1).
    private var ownLifetime: Duration {
        if let maxAge = CacheControl(fields[.cacheControl] ?? "").maxAge { return .seconds(maxAge) }
        let madeAt = time(.date) ?? receivedAt
        if fields[.expires] != nil {
            // A date that cannot be read, most often `0`, lies in the past (RFC 9111 §5.3).
            return max(.zero, time(.expires)?.duration(since: madeAt) ?? .zero)
        }
        guard let lastModified, Self.heuristicStatuses.contains(status) else { return .zero }
        return min(Self.heuristicLifetimeMax, max(.zero, madeAt.duration(since: lastModified) / 10))
    }
}

extension FetchError {
    /// Whether the origin failed, so that a stale answer may stand in where it is allowed to.
    ///
    /// No connection, a broken one, no answer in time, or a status 500, 502, 503 or 504 (RFC 5861 §4).
    public var isOriginFailure: Bool {
        if let status { return [500, 502, 503, 504].contains(status) }
        return [.hostNotFound, .connectionFailed, .connectionLost, .timedOut].contains(code)
    }
}
