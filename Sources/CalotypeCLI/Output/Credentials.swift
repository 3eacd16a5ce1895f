/// Removal of users and passwords from addresses in output.
enum Credentials {
    private static let mask = "***"
    /// Schemes that may be followed by any number of slashes, and may have a user.
    private static let schemes: Set<String> = [
        "http", "https", "ftp", "ftps", "socks4", "socks4a", "socks5", "socks5h",
    ]

    /// Returns the address without its user and password: `https://***@example.org/a.jpg`.
    ///
    /// - Parameter address: An address as typed: its password may contain blanks, its scheme may be missing,
    ///   and it may be otherwise invalid.
    /// - Returns: The address with the user and password masked.
    static func hidden(inAddress address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: "@")) else { return address }
        var hidden = ""
        var rest = address[...]
        while let start = authority(in: rest) {
            hidden += rest[..<start]
            rest = rest[start...]
            let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
            let at =
                rest[..<end].lastIndex(of: "@") ?? (isPlace(rest[..<end]) ? nil : rest.lastIndex(of: "@"))
            if let at {
                hidden += mask
                rest = rest[at...]
            } else {
                hidden += rest[..<end]
                rest = rest[end...]
            }
        }
        return hidden + rest
    }

    /// Returns the text with users and passwords of all its addresses masked.
    static func hidden(inText text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var hidden = ""
        var rest = text[...]
        while let end = rest.firstIndex(where: isSeparator) {
            hidden += Self.hidden(inAddress: String(rest[..<end])) + String(rest[end])
            rest = rest[rest.index(after: end)...]
        }
        return hidden + Self.hidden(inAddress: String(rest))
    }

    private static func isSeparator(_ character: Character) -> Bool {
        if let byte = character.asciiValue { return byte == 32 || byte == 34 || (9...13).contains(byte) }
        return character.isWhitespace || character == "“" || character == "”"
    }

    /// Returns the start of a possible `user:password@host`, or `nil`.
    private static func authority(in text: Substring) -> Substring.Index? {
        if text.hasPrefix("//") { return text.index(text.startIndex, offsetBy: 2) }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let rest = text[text.index(after: colon)...]
        if rest.hasPrefix("//") { return rest.index(rest.startIndex, offsetBy: 2) }
        let name = text[..<colon]
        if schemes.contains(name.lowercased()) { return (rest.firstIndex { $0 != "/" }) ?? rest.endIndex }
        // `user:password@host` without a scheme; a path has a slash in it, and `data:` has no user.
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let isUser = !name.contains { "/?#".contains($0) } && !["data", "file"].contains(name.lowercased())
        if isUser, rest[..<end].contains("@") { return text.startIndex }
        return rest.firstRange(of: "://")?.upperBound
    }

    /// Whether an authority without a user is a host with an optional port.
    private static func isPlace(_ authority: Substring) -> Bool {
        guard !authority.hasPrefix("["), let colon = authority.lastIndex(of: ":") else { return true }
        return authority[colon...].dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }
}
