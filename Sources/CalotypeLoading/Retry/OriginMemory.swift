import FoundationEssentials

/// What is remembered of origins: until when they asked to be left alone, and how many retries they may be
/// given; pure, and bounded.
///
/// An origin in trouble gets one retry for ten loads, beside ten to begin with: many loads that fail at once
/// would otherwise make three times the load.
struct OriginMemory: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Origin: Sendable {
        /// The answer that began the pause.
        var refusal: FetchError?
        var pauseEnd: Instant?
        var retryTokens = OriginMemory.retryTokensMax
        var lastUse = 0

        /// Whether forgetting it changes nothing.
        func isBlank(at now: Instant) -> Bool {
            retryTokens >= OriginMemory.retryTokensMax && pauseEnd.map { $0 <= now } ?? true
        }
    }

    /// Longer pauses are cut: a date by mistake must not shut an origin out for years.
    static let pauseMax = Duration.seconds(3_600)
    static let retryTokensMax = 10.0
    static let retryShare = 0.1

    let countMax: Int
    private var origins: [String: Origin] = [:]
    private var lastUse = 0

    init(countMax: Int = 1_000) {
        self.countMax = max(1, countMax)
    }

    /// How many origins are remembered.
    var count: Int { origins.count }

    /// The refusal of an origin, or of one URL, that has asked to be left alone, with the time that is left.
    func refusal(of url: URL, at now: Instant) -> FetchError? {
        guard !origins.isEmpty else { return nil }
        var refusal = refusal(named: url.originText, at: now) ?? refusal(named: Self.name(of: url), at: now)
        refusal?.answeringURL = url
        return refusal
    }

    /// The name of a URL that has answered 503; of any length, so that only its digest is kept.
    private static func name(of url: URL) -> String { url.sourceDigest }

    private func refusal(named name: String, at now: Instant) -> FetchError? {
        guard let known = origins[name], let refusal = known.refusal, let end = known.pauseEnd else {
            return nil
        }
        guard now < end else { return nil }
        return FetchError(
            refusal.code,
            status: refusal.status,
            isRetryable: refusal.isRetryable,
            retryAfter: now.duration(to: end),
            detail: "the origin has asked for a pause, and was not asked again: \(refusal.detail)"
        )
    }

    /// Notes that a load begins.
    mutating func noteLoad(of origin: String) {
        guard var known = origins[origin] else { return }
        known.retryTokens = min(Self.retryTokensMax, known.retryTokens + Self.retryShare)
        origins[origin] = known
    }

    /// Notes a failure with a `Retry-After`, which speaks for the URL that answered: 503 for it alone, 429,
    /// which counts requests, for all of its origin.
    ///
    /// Within a pause it makes that longer at most: it may be the refusal itself, met by a redirect.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - url: The URL that was asked, where the error does not name the one that answered.
    ///   - now: The time.
    mutating func note(_ error: FetchError, of url: URL, at now: Instant) {
        guard let pause = error.retryAfter, [429, 503].contains(error.status), pause > .zero else { return }
        let answering = error.answeringURL ?? url
        let name = error.status == 429 ? answering.originText : Self.name(of: answering)
        let end = now + min(pause, Self.pauseMax)
        change(name, at: now) { known in
            if let running = known.pauseEnd, running > now {
                known.pauseEnd = max(running, end)
            } else {
                (known.refusal, known.pauseEnd) = (error, end)
            }
        }
    }

    /// Takes the right to one retry; there may be none.
    mutating func takeRetry(of origin: String, at now: Instant) -> Bool {
        guard origins[origin]?.retryTokens ?? Self.retryTokensMax >= 1 else { return false }
        change(origin, at: now) { $0.retryTokens -= 1 }
        return true
    }

    private mutating func change(_ origin: String, at now: Instant, _ body: (inout Origin) -> Void) {
        lastUse += 1
        var known = origins[origin] ?? Origin()
        body(&known)
        known.lastUse = lastUse
        origins[origin] = known
        guard origins.count > countMax else { return }
        origins = origins.filter { !$0.value.isBlank(at: now) }
        // The quarter that was changed longest ago, so that the walk over all is rare.
        guard origins.count > countMax else { return }
        let uses = origins.values.map(\.lastUse).sorted()
        let oldest = uses[min(uses.count - 1, uses.count / 4)]
        origins = origins.filter { $0.value.lastUse > oldest }
    }
}
