extension [HeaderField] {
    /// The value of the first field with this name, given in lower case, without blanks around it.
    func firstValue(of name: String) -> String? {
        first { $0.name.lowercased() == name }.map { $0.value.trimmingBlanks }
    }

    /// The values of all fields with this name, given in lower case, joined by commas (RFC 9110 §5.3).
    func combinedValue(of name: String) -> String? {
        let values = filter { $0.name.lowercased() == name }.map { $0.value.trimmingBlanks }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmingBlanks: String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        var scalars = unicodeScalars.drop(while: isBlank)
        while scalars.last.map(isBlank) == true { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }
}
