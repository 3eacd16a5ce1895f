package import CalotypeCore
import CalotypeLoading

/// Evaluation of conditional requests (RFC 9110 §13).
package enum ConditionalRequest {
    /// The maximum bytes of a list of tags: the limit of request headers.
    private static let maxByteCount = 8_192

    /// Whether the response to a `GET` or `HEAD` is 304.
    ///
    /// - Parameters:
    ///   - ifNoneMatch: The field's value, if present; then `If-Modified-Since` is ignored.
    ///   - ifModifiedSince: The field's value, if present.
    ///   - entityTag: The entity tag of the response, with its quotes.
    ///   - lastModified: The date of the response, if known.
    /// - Returns: Whether the client's copy is current.
    package static func isNotModified(
        ifNoneMatch: String?,
        ifModifiedSince: String? = nil,
        entityTag: String,
        lastModified: Timestamp? = nil
    ) -> Bool {
        if let ifNoneMatch { return matches(ifNoneMatch, entityTag) }
        guard let ifModifiedSince, let lastModified,
            let since = HTTPDate(ifModifiedSince, near: lastModified)
        else { return false }
        return lastModified.nanosecondsSince1970 / 1_000_000_000 <= since.secondsSince1970
    }

    /// Whether a list of entity tags matches by weak comparison, in which `W/` is ignored.
    ///
    /// A malformed list is read up to the error.
    static func matches(_ list: String, _ entityTag: String) -> Bool {
        var rest = list.utf8.prefix(maxByteCount)
        let wanted = Array(opaque(entityTag))
        while true {
            rest = rest.drop { " \t,".utf8.contains($0) }
            guard let first = rest.first else { return false }
            if first == UInt8(ascii: "*") {
                return list.utf8.allSatisfy { " \t*".utf8.contains($0) }
            }
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else { return false }
            let tag = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
            guard tag.endIndex < rest.endIndex else { return false }
            if tag.elementsEqual(wanted) { return true }
            rest = rest[tag.endIndex...].dropFirst()
        }
    }

    /// Returns the text between the quotes.
    private static func opaque(_ entityTag: String) -> Substring.UTF8View {
        let quoted = entityTag.hasPrefix("W/") ? entityTag.dropFirst(2) : entityTag[...]
        return quoted.dropFirst().dropLast().utf8
    }
}
