import FoundationEssentials

/// The back-off from origins: the ends of requested pauses, and retry budgets; pure and bounded.
///
/// A failing origin gets one retry per ten loads, in addition to ten initial ones: otherwise many loads that
/// fail at once would triple its load.
struct OriginBackoff: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Origin: Sendable {
        /// The response that began the pause.
        var refusal: FetchError?
        var pauseEnd: Instant?
        var retryTokens = OriginBackoff.maxRetryTokens
        var lastUse = 0

        /// Returns whether the origin is in its initial state.
        func isBlank(at now: Instant) -> Bool {
            retryTokens >= OriginBackoff.maxRetryTokens && pauseEnd.map { $0 <= now } ?? true
        }
    }

    // Longer pauses are truncated: a wrong date must not block an origin for years.
    static let maxPause = Duration.seconds(3_600)
    static let maxRetryTokens = 10.0
    static let retryShare = 0.1
    // A host name has at most 253 bytes; a longer one cannot be contacted.
    private static let maxNameByteCount = 300
    private static let maxDetailScalarCount = 200

    let maxCount: Int
    private var origins: [String: Origin] = [:]
    private var lastUse = 0

    init(maxCount: Int = 1_000) {
        self.maxCount = max(1, maxCount)
    }

    var count: Int { origins.count }

    /// Returns the refusal of an origin, or of one URL, that has requested a pause, with the time left.
    func refusal(of url: URL, at now: Instant) -> FetchError? {
        guard !origins.isEmpty else { return nil }
        var refusal = refusal(named: url.originText, at: now) ?? refusal(named: Self.name(of: url), at: now)
        refusal?.answeringURL = url
        return refusal
    }

    /// Returns the name of a URL that responded with 503; URLs have any length, so only the digest is stored.
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
            detail: "the origin requested a pause (Retry-After) and was not contacted: \(refusal.detail)"
        )
    }

    /// Records the start of a load.
    mutating func noteLoad(of origin: String) {
        guard var known = origins[origin] else { return }
        known.retryTokens = min(Self.maxRetryTokens, known.retryTokens + Self.retryShare)
        origins[origin] = known
    }

    /// Records a failure with a `Retry-After` of the responding URL: a 503 applies to it alone; a 429, which
    /// limits the rate of requests, applies to its whole origin.
    ///
    /// During a pause it can only extend it: it may be the refusal itself, reached by a redirect.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - url: The requested URL, if the error does not contain the responding one.
    ///   - now: The current time.
    mutating func note(_ error: FetchError, of url: URL, at now: Instant) {
        guard let pause = error.retryAfter, [429, 503].contains(error.status), pause > .zero else { return }
        let answering = error.answeringURL ?? url
        let name = error.status == 429 ? answering.originText : Self.name(of: answering)
        let end = now + min(pause, Self.maxPause)
        change(name, at: now) { known in
            if let running = known.pauseEnd, running > now {
                known.pauseEnd = max(running, end)
            } else {
                (known.refusal, known.pauseEnd) = (Self.shortened(error), end)
            }
        }
    }

    /// Returns an error without the texts that an origin gives any length.
    private static func shortened(_ error: FetchError) -> FetchError {
        let detail = String.UnicodeScalarView(error.detail.unicodeScalars.prefix(maxDetailScalarCount))
        return FetchError(
            error.code,
            status: error.status,
            isRetryable: error.isRetryable,
            detail: String(detail)
        )
    }

    /// Takes one retry from the budget, if there is one.
    mutating func takeRetry(of origin: String, at now: Instant) -> Bool {
        guard origins[origin]?.retryTokens ?? Self.maxRetryTokens >= 1 else { return false }
        change(origin, at: now) { $0.retryTokens -= 1 }
        return true
    }

    private mutating func change(_ origin: String, at now: Instant, _ body: (inout Origin) -> Void) {
        guard origin.utf8.count <= Self.maxNameByteCount else { return }
        lastUse += 1
        var known = origins[origin] ?? Origin()
        body(&known)
        known.lastUse = lastUse
        origins[origin] = known
        guard origins.count > maxCount else { return }
        origins = origins.filter { !$0.value.isBlank(at: now) }
        // The quarter changed longest ago, so that this walk over all is rare.
        guard origins.count > maxCount else { return }
        let uses = origins.values.map(\.lastUse).sorted()
        let oldest = uses[min(uses.count - 1, uses.count / 4)]
        origins = origins.filter { $0.value.lastUse > oldest }
    }
}
