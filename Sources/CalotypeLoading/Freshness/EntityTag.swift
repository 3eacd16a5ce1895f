/// An entity tag, RFC 9110 §8.8.3.
struct EntityTag {
    /// As it came, `W/` and quotes included.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Whether equal tags mean equal bytes: in quotes, and not marked as weak.
    ///
    /// What some servers send without quotes is good for asking whether something has changed, not for
    /// joining parts.
    var isStrong: Bool {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    }

    /// Whether both stand for the same content: the comparison of RFC 9110 §8.8.3.2 for validation.
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    private var opaque: Substring {
        text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    }
}
