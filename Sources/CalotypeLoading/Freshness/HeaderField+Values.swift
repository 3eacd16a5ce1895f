extension [HeaderField] {
    /// What they say to caches; `nil` where they say nothing.
    package var cacheControl: String? { isEmpty ? nil : combinedValue(of: "cache-control") }

    /// Whether they forbid to ask anybody but caches (RFC 9111 §5.2.1.7).
    package var isOnlyIfCached: Bool { cacheControl.map { CacheControl($0).isOnlyIfCached } ?? false }

    /// The name of a field that makes a request conditional, so that its answer may have no content.
    package var conditionalName: String? {
        let names = HeaderField.conditionNames.filter { $0 != "if-range" }
        return names.first { name in contains { $0.isNamed(name) } }
    }

    /// The value of the first field with this name, given in lower case, without blanks around it.
    func firstValue(of name: String) -> String? {
        first { $0.isNamed(name) }.map { $0.value.trimmingBlanks }
    }

    /// The values of all fields with this name, given in lower case, joined by commas (RFC 9110 §5.3).
    func combinedValue(of name: String) -> String? {
        let values = filter { $0.isNamed(name) }.map { $0.value.trimmingBlanks }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension HeaderField {
    /// Whether it may reach another origin than the one it was given for.
    ///
    /// What says which form of the content is wanted; any other may hold a secret, whatever it is called.
    package var isForAnyOrigin: Bool {
        let names = ["accept", "accept-language", "cache-control", "pragma", "range", "user-agent"]
        return names.contains(where: isNamed)
    }

    /// The names of the fields that compare with content of one URL (RFC 9110 §13.1).
    static let conditionNames = [
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
    ]

    /// Whether it makes a request conditional.
    var isCondition: Bool { Self.conditionNames.contains(where: isNamed) }

    /// Whether it has this name, given in lower case; the names of fields are ASCII.
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
