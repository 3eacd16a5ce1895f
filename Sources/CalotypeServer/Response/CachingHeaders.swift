package import CalotypeCore
import CalotypeLoading

/// The caching fields of responses.
public struct CachingHeaders: Hashable, Sendable {
    /// The freshness lifetime of a response; a year unless set, as in imgproxy.
    public var maxAge = Duration.days(365)

    /// Whether a response is fresh no longer than its original, by the origin's fields, and at most
    /// ``maxAge``; false unless set.
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
        cacheControl(for: delivery, at: now, atMost: limit, .init())
    }

    /// Directives of an origin beside the freshness lifetime.
    private struct Told {
        var isPrivate = false
        var isMustRevalidate = false
    }

    private func cacheControl(
        for delivery: Delivery,
        at now: Timestamp,
        atMost limit: Duration?,
        _ told: Told
    ) -> String {
        var maxAge = delivery.maxAge ?? maxAge
        if let limit { maxAge = min(maxAge, limit) }
        if let expires = delivery.expires { maxAge = min(maxAge, max(.zero, expires.duration(since: now))) }
        let seconds = maxAge.components.seconds
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

    /// Returns the caching fields of a response: `Cache-Control`, and `Age` if the origin's age applies.
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
        guard followsOrigin, let relayed else {
            return [HeaderField("Cache-Control", cacheControl(for: delivery, at: now, atMost: interim))]
        }
        let told = Told(isPrivate: relayed.isPrivate, isMustRevalidate: relayed.isMustRevalidate)
        let limit = interim.map { min($0, relayed.lifetime) } ?? relayed.lifetime
        return [
            HeaderField("Cache-Control", cacheControl(for: delivery, at: now, atMost: limit, told)),
            HeaderField("Age", "\(relayed.age.components.seconds)"),
        ]
    }
}
