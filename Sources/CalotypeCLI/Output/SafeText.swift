/// Sanitizing of untrusted text for a line on a terminal.
enum SafeText {
    /// Returns the text with control characters replaced, so that it can neither break the line nor control
    /// the terminal.
    static func line(_ text: String) -> String {
        let text = PathBytes.shown(text)
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    /// Returns the text on one line without users and passwords; the middle is omitted if it is longer than
    /// `maxCount` characters.
    static func shortened(_ text: String, to maxCount: Int = 120) -> String {
        // Masked before the cut, after which a password may no longer be recognizable.
        let text = withoutCredentials(text)
        // A `data:` URL may be megabytes long, so its characters are not counted.
        let head = text.prefix(maxCount + 1)
        guard head.count > maxCount else { return line(text) }
        let kept = maxCount / 2
        return line(head.prefix(kept) + "…" + text.suffix(maxCount - kept - 1))
    }

    /// Returns the text without the users and passwords of its URLs: `https://***@example.org/a.jpg`.
    static func withoutCredentials(_ text: String) -> String { Credentials.hidden(inText: text) }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Bidirectional marks could make a line read as another one.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
