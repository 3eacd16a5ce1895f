/// What is remembered of origins: until when they asked to be left alone, and how many retries they may be
/// given; pure, and bounded.
///
/// An origin in trouble gets one retry for ten loads, beside ten to begin with: many loads that fail at once
/// would otherwise make three times the load.
struct OriginMemory: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Origin: Sendable {
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

    /// The refusal of an origin that has asked to be left alone, with the time that is left of it.
    func refusal(of origin: String, at now: Instant) -> FetchError? {
        guard let known = origins[origin], let refusal = known.refusal, let end = known.pauseEnd else {
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

    /// Notes a failure: the statuses 429 and 503 with a `Retry-After` speak for all of the origin.
    mutating func note(_ error: FetchError, of origin: String, at now: Instant) {
        guard let pause = error.retryAfter, [429, 503].contains(error.status), pause > .zero else { return }
        change(origin, at: now) { known in
            known.refusal = error
            known.pauseEnd = now + min(pause, Self.pauseMax)
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
