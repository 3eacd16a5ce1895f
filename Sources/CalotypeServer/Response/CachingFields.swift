public import CalotypeCore

/// What answers say about being kept by others.
public struct CachingFields: Hashable, Sendable {
    /// How long an answer is fresh; a year unless set, as in imgproxy.
    public var maxAge = Duration.days(365)

    /// How long after that it may be used while it is asked for anew; `nil` for not at all.
    public var staleWhileRevalidate: Duration?

    /// How long after that it may be used where the service fails; `nil` for not at all.
    public var staleIfError: Duration?

    /// Creates the defaults.
    public init() {}

    /// What stands in `Cache-Control` of an error: whoever asks again may have an answer.
    public static let ofErrors = "no-store"

    /// The value of `Cache-Control` for an answer.
    ///
    /// - Parameters:
    ///   - delivery: What the URL says of it.
    ///   - now: The time, by which a URL that ends shortens how long its answer is fresh.
    /// - Returns: The value.
    public func cacheControl(for delivery: Delivery, at now: Timestamp) -> String {
        var maxAge = delivery.maxAge ?? maxAge
        if let expires = delivery.expires { maxAge = min(maxAge, max(.zero, expires.duration(since: now))) }
        let seconds = maxAge.components.seconds
        guard seconds > 0 else { return "no-cache" }
        var parts = ["public", "max-age=\(seconds)"]
        // A URL that has ended is not to be used any longer.
        guard delivery.expires == nil else { return parts.joined(separator: ", ") }
        if let staleWhileRevalidate {
            parts.append("stale-while-revalidate=\(staleWhileRevalidate.components.seconds)")
        }
        if let staleIfError { parts.append("stale-if-error=\(staleIfError.components.seconds)") }
        return parts.joined(separator: ", ")
    }
}
