/// Text from outside, made fit for a line on a terminal.
enum SafeText {
    /// The text with control characters replaced, so that it can neither break the line nor steer the
    /// terminal.
    static func line(_ text: String) -> String {
        let text = PathBytes.shown(text)
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    /// The text on one line without users and passwords, its middle left out where it is longer than
    /// `countMax` characters.
    static func shortened(_ text: String, to countMax: Int = 120) -> String {
        // Before a cut, after which a password may no longer look like one.
        let text = withoutCredentials(text)
        // A `data:` URL may be megabytes long, so its characters are not counted.
        let head = text.prefix(countMax + 1)
        guard head.count > countMax else { return line(text) }
        let kept = countMax / 2
        return line(head.prefix(kept) + "…" + text.suffix(countMax - kept - 1))
    }

    /// The text without the users and the passwords of its URLs: `https://***@example.org/a.jpg`.
    static func withoutCredentials(_ text: String) -> String { Credentials.hidden(inText: text) }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Marks that turn the direction of writing could make a line read as another.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
