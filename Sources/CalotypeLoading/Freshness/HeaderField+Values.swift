extension [HeaderField] {
    /// The value of `Cache-Control`; `nil` if there is none.
    package var cacheControl: String? { isEmpty ? nil : combinedValue(of: "cache-control") }

    /// Whether the fields forbid requests beyond caches (RFC 9111 §5.2.1.7).
    package var isOnlyIfCached: Bool { cacheControl.map { CacheControl($0).isOnlyIfCached } ?? false }

    /// The name of a field that makes a request conditional, so that its response may have no content.
    package var conditionalName: String? {
        HeaderField.conditionNames.first { name in name != "if-range" && contains { $0.isNamed(name) } }
    }

    /// Returns the value of the first field with this lower-case name, without surrounding blanks.
    func firstValue(of name: String) -> String? {
        first { $0.isNamed(name) }.map { $0.value.trimmingBlanks }
    }

    /// Returns the values of all fields with this lower-case name, joined by commas (RFC 9110 §5.3).
    func combinedValue(of name: String) -> String? {
        let values = filter { $0.isNamed(name) }.map { $0.value.trimmingBlanks }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension HeaderField {
    /// Whether the field may be sent to a different origin than it was given for.
    ///
    /// These fields select a form of the content; any other may contain a secret, whatever its name.
    package var isForAnyOrigin: Bool {
        let names = ["accept", "accept-language", "cache-control", "pragma", "range", "user-agent"]
        return names.contains(where: isNamed)
    }

    /// The names of the fields that refer to the content of one URL (RFC 9110 §13.1).
    static let conditionNames = [
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
    ]

    /// Whether the field makes a request conditional.
    var isCondition: Bool { Self.conditionNames.contains(where: isNamed) }

    /// Returns whether the field has this lower-case name; field names are ASCII.
    func isNamed(_ lowercaseName: String) -> Bool {
        let (name, other) = (name.utf8, lowercaseName.utf8)
        guard name.count == other.count else { return false }
        return zip(name, other).allSatisfy { byte, other in
            byte == other || (0x41...0x5A).contains(byte) && byte | 0x20 == other
        }
    }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The text without spaces and tabs at its ends.
    var trimmingBlanks: String {
        guard let first = utf8.firstIndex(where: { !$0.isBlank }),
            let last = utf8.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(self[first..<utf8.index(after: last)])
    }
}
