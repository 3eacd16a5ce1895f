public import CalotypeCore
import CalotypeLoading

/// What answers say about being kept by others.
public struct CachingFields: Hashable, Sendable {
    /// How long an answer is fresh; a year unless set, as in imgproxy.
    public var maxAge = Duration.days(365)

    /// Whether an answer is fresh for as long as its original, by what the origin says, and no longer than
    /// ``maxAge``; false unless set.
    public var followsOrigin = false

    /// How long an answer is fresh that stands in for a better one, which is being made, or for an origin
    /// that is asked anew or fails; a minute unless set.
    public var interimMaxAge = Duration.seconds(60)

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
    ///   - limit: The longest time that it may be fresh; `nil` for any.
    /// - Returns: The value.
    public func cacheControl(
        for delivery: Delivery,
        at now: Timestamp,
        atMost limit: Duration? = nil
    ) -> String {
        cacheControl(for: delivery, at: now, atMost: limit, .init())
    }

    /// What an origin has said to caches that counts beside how long an answer is fresh.
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
        // A URL that has ended is not to be used any longer, nor what its origin wants to be asked for then.
        guard delivery.expires == nil, !told.isMustRevalidate else { return parts.joined(separator: ", ") }
        if let staleWhileRevalidate {
            parts.append("stale-while-revalidate=\(staleWhileRevalidate.components.seconds)")
        }
        if let staleIfError { parts.append("stale-if-error=\(staleIfError.components.seconds)") }
        return parts.joined(separator: ", ")
    }

    /// The fields of an answer: `Cache-Control`, and `Age` where it is the origin's age that counts.
    ///
    /// - Parameters:
    ///   - delivery: What the URL says of it.
    ///   - record: What the origin has said of the original; `nil` for a file.
    ///   - isInterim: Whether it stands in for a better answer.
    ///   - now: The time.
    /// - Returns: The fields.
    func fields(
        for delivery: Delivery,
        _ record: ResponseRecord?,
        isInterim: Bool,
        at now: Timestamp
    ) -> [HeaderField] {
        let interim = isInterim ? interimMaxAge : nil
        guard followsOrigin, let record else {
            return [HeaderField("Cache-Control", cacheControl(for: delivery, at: now, atMost: interim))]
        }
        let relayed = RelayedFreshness(record, at: now)
        let told = Told(isPrivate: relayed.isPrivate, isMustRevalidate: relayed.isMustRevalidate)
        let limit = interim.map { min($0, relayed.lifetime) } ?? relayed.lifetime
        return [
            HeaderField("Cache-Control", cacheControl(for: delivery, at: now, atMost: limit, told)),
            HeaderField("Age", "\(relayed.age.components.seconds)"),
        ]
    }
}
