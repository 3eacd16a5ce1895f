/// Users and passwords in addresses, which nothing repeats.
enum Credentials {
    private static let mask = "***"
    /// Schemes that a person may follow by any number of slashes, and that may have a user.
    private static let schemes: Set<String> = [
        "http", "https", "ftp", "ftps", "socks4", "socks4a", "socks5", "socks5h",
    ]

    /// The address without its user and its password: `https://***@example.org/a.jpg`.
    ///
    /// - Parameter address: An address as it was typed: it may have blanks in its password, have no scheme,
    ///   or be no URL for another reason.
    /// - Returns: The address.
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

    /// The text with each of its addresses without user and password.
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
        character.isWhitespace || "“”\"".contains(character)
    }

    /// The beginning of what may be `user:password@host`; `nil` where there is none.
    private static func authority(in text: Substring) -> Substring.Index? {
        if text.hasPrefix("//") { return text.index(text.startIndex, offsetBy: 2) }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let rest = text[text.index(after: colon)...]
        if rest.hasPrefix("//") { return rest.index(rest.startIndex, offsetBy: 2) }
        let name = text[..<colon]
        if schemes.contains(name.lowercased()) { return (rest.firstIndex { $0 != "/" }) ?? rest.endIndex }
        // `user:password@host` without a scheme; a path has a slash between, and bytes have no user.
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let isUser = !name.contains { "/?#".contains($0) } && !["data", "file"].contains(name.lowercased())
        if isUser, rest[..<end].contains("@") { return text.startIndex }
        return rest.firstRange(of: "://")?.upperBound
    }

    /// Whether an authority without a user is a host, and a port where there is a colon.
    private static func isPlace(_ authority: Substring) -> Bool {
        guard !authority.hasPrefix("["), let colon = authority.lastIndex(of: ":") else { return true }
        return authority[colon...].dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }
}
