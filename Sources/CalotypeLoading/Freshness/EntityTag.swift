/// An entity tag, RFC 9110 §8.8.3.
struct EntityTag {
    /// The tag as received, including `W/` and quotes.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Whether equal tags imply equal bytes: quoted, and not marked as weak.
    ///
    /// Unquoted tags, which some servers send, can be used for validation but not for combining parts.
    var isStrong: Bool {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    }

    /// Returns whether both identify the same content: the weak comparison of RFC 9110 §8.8.3.2.
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    private var opaque: Substring {
        text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    }
}
