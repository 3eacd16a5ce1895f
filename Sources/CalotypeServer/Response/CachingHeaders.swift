package import CalotypeCore
import CalotypeLoading

/// The caching fields of responses.
public struct CachingHeaders: Hashable, Sendable {
    /// The freshness lifetime of a response; a year unless set, as in imgproxy.
    public var maxAge = Duration.days(365)

    /// Whether a response is fresh no longer than its original, by the origin's fields; false unless set.
    ///
    /// ``maxAge`` limits it too. Images by URLs of Next.js and Cloudflare, which name files of a site, are
    /// fresh no longer in any case.
    public var followsOrigin = false

    /// The freshness lifetime of a response that stands in for a better one in progress, or for an origin
    /// that is being revalidated or fails; a minute unless set.
    public var interimMaxAge = Duration.seconds(60)

    /// The time after that for stale use during revalidation; `nil` for none.
    public var staleWhileRevalidate: Duration?

    /// The time after that for stale use if the service fails; `nil` for none.
    public var staleIfError: Duration?

    /// Creates the defaults.
    public init() {}

    /// The `Cache-Control` value of errors, so that a repeated request may succeed.
    package static let errorCacheControl = "no-store"

    /// Returns the `Cache-Control` value of a response.
    ///
    /// - Parameters:
    ///   - delivery: The options of the URL.
    ///   - now: The time; the expiry of a URL shortens the lifetime.
    ///   - limit: The maximum lifetime; `nil` for none.
    /// - Returns: The value.
    package func cacheControl(
        for delivery: Delivery,
        at now: Timestamp,
        atMost limit: Duration? = nil
    ) -> String {
        cacheControl(for: delivery, lifetime(for: delivery, at: now, atMost: limit), .init())
    }

    /// Returns the freshness lifetime by the settings and the URL.
    private func lifetime(for delivery: Delivery, at now: Timestamp, atMost limit: Duration?) -> Duration {
        var lifetime = delivery.maxAge ?? maxAge
        if let limit { lifetime = min(lifetime, limit) }
        guard let expires = delivery.expires else { return lifetime }
        return min(lifetime, max(.zero, expires.duration(since: now)))
    }

    /// Directives of an origin beside the freshness lifetime.
    private struct Told {
        var isPrivate = false
        var isMustRevalidate = false
    }

    private func cacheControl(
        for delivery: Delivery,
        _ lifetime: Duration,
        _ told: Told
    ) -> String {
        let seconds = lifetime.components.seconds
        guard seconds > 0 else { return told.isPrivate ? "private, no-cache" : "no-cache" }
        var parts = [told.isPrivate ? "private" : "public", "max-age=\(seconds)"]
        if told.isMustRevalidate { parts.append("must-revalidate") }
        // Neither a URL with an expiry nor a response with `must-revalidate` may be used stale.
        guard delivery.expires == nil, !told.isMustRevalidate else { return parts.joined(separator: ", ") }
        if let staleWhileRevalidate {
            parts.append("stale-while-revalidate=\(staleWhileRevalidate.components.seconds)")
        }
        if let staleIfError { parts.append("stale-if-error=\(staleIfError.components.seconds)") }
        return parts.joined(separator: ", ")
    }

    /// Returns the caching fields of a response: `Cache-Control`, and `Age` if the lifetime is the origin's.
    ///
    /// That one counts from the origin's response on; a shorter one of the service or of the URL from now.
    ///
    /// - Parameters:
    ///   - delivery: The options of the URL.
    ///   - relayed: The freshness by the origins' fields; `nil` for files.
    ///   - isInterim: Whether the response stands in for a better one.
    ///   - now: The time.
    /// - Returns: The fields.
    func fields(
        for delivery: Delivery,
        _ relayed: RelayedFreshness?,
        isInterim: Bool,
        at now: Timestamp
    ) -> [HeaderField] {
        let interim = isInterim ? interimMaxAge : nil
        guard followsOrigin || delivery.followsOrigin, let relayed else {
            return [HeaderField("Cache-Control", cacheControl(for: delivery, at: now, atMost: interim))]
        }
        let told = Told(isPrivate: relayed.isPrivate, isMustRevalidate: relayed.isMustRevalidate)
        let own = lifetime(for: delivery, at: now, atMost: interim)
        let countsFromNow = own < relayed.lifetime && relayed.remaining > .zero
        let limit = min(own, countsFromNow ? relayed.remaining : relayed.lifetime)
        let field = HeaderField("Cache-Control", cacheControl(for: delivery, limit, told))
        return countsFromNow ? [field] : [field, HeaderField("Age", "\(relayed.age.components.seconds)")]
    }
}
