package import CalotypeCore

/// The freshness of a response for the clients of a server that relays it (RFC 9111 §4.2).
package struct RelayedFreshness: Hashable, Sendable {
    /// The age of the response at the origin.
    package let age: Duration
    /// The lifetime from the origin's response on; zero if the origin requires revalidation on each use.
    package let lifetime: Duration
    /// The remaining lifetime; zero if the origin requires revalidation on each use.
    package let remaining: Duration
    /// Whether shared caches must not store it.
    package var isPrivate: Bool
    /// Whether it must not be used once it is stale.
    package private(set) var isMustRevalidate: Bool

    /// Computes the freshness of a recorded response at a time.
    package init(_ record: ResponseRecord, at now: Timestamp) {
        let directives = record.directives
        age = max(.zero, record.ageAtReceipt + now.duration(since: record.receivedAt))
        let left = directives.isNoCache ? .zero : record.freshUntil.duration(since: now)
        lifetime = directives.isNoCache ? .zero : max(.zero, age + left)
        remaining = max(.zero, left)
        isPrivate = directives.isPrivate
        isMustRevalidate = directives.isMustRevalidate
    }

    /// Returns the freshness of a response made of several: the least remaining lifetime, and the directives
    /// of all; `nil` for none.
    package static func combined(_ parts: [RelayedFreshness]) -> RelayedFreshness? {
        guard var result = parts.min(by: { $0.remaining < $1.remaining }) else { return nil }
        result.isPrivate = parts.contains(where: \.isPrivate)
        result.isMustRevalidate = parts.contains(where: \.isMustRevalidate)
        return result
    }

    /// The value of `Cache-Control` in a response without `Age`.
    package var cacheControl: String {
        let seconds = remaining.components.seconds
        guard seconds > 0 else { return isPrivate ? "private, no-cache" : "no-cache" }
        let value = "\(isPrivate ? "private" : "public"), max-age=\(seconds)"
        return isMustRevalidate ? value + ", must-revalidate" : value
    }
}
