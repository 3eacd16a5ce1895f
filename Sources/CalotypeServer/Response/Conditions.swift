public import CalotypeCore
import CalotypeLoading

/// Whether a client has an answer already, by what its request says (RFC 9110 §13).
public enum Conditions {
    /// The most bytes of a list of tags that are read: as long as a head may be.
    private static let byteCountMax = 8_192

    /// Whether 304 is the answer to a `GET` or `HEAD`.
    ///
    /// - Parameters:
    ///   - ifNoneMatch: The field's value, where it is there; `If-Modified-Since` then counts for nothing.
    ///   - ifModifiedSince: The field's value, where it is there.
    ///   - entityTag: Of the answer, with its quotes.
    ///   - lastModified: Of the answer, where it is known.
    /// - Returns: Whether the client's copy will do.
    public static func isNotModified(
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

    /// Whether a list of entity tags has one that stands for the same content: the weak comparison, in which
    /// `W/` counts for nothing.
    ///
    /// A list that is damaged counts up to the damage.
    static func matches(_ list: String, _ entityTag: String) -> Bool {
        var rest = list.utf8.prefix(byteCountMax)
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

    /// What stands between the quotes.
    private static func opaque(_ entityTag: String) -> Substring.UTF8View {
        let quoted = entityTag.hasPrefix("W/") ? entityTag.dropFirst(2) : entityTag[...]
        return quoted.dropFirst().dropLast().utf8
    }
}
