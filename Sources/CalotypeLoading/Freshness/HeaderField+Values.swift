extension [HeaderField] {
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
    /// Whether it must not reach another origin than the one it was given for.
    package var isCredential: Bool {
        ["authorization", "cookie", "proxy-authorization"].contains(where: isNamed)
    }

    /// Whether it has this name, given in lower case; the names of fields are ASCII.
    func isNamed(_ lowercaseName: String) -> Bool {
        let (name, other) = (name.utf8, lowercaseName.utf8)
        guard name.count == other.count else { return false }
        return zip(name, other).allSatisfy { byte, other in
            byte == other || (0x41...0x5A).contains(byte) && byte | 0x20 == other
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmingBlanks: String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        // Hardly any text has them, and to make one of its scalars takes long.
        guard let first = unicodeScalars.first, let last = unicodeScalars.last else { return "" }
        guard isBlank(first) || isBlank(last) else { return String(self) }
        var scalars = unicodeScalars.drop(while: isBlank)
        while scalars.last.map(isBlank) == true { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }
}
