import CalotypeSupport

/// The parser of typed inputs: a URL, or the path of a file.
enum InputAddress {
    /// Whether text is a URL; blocks if that depends on existing files.
    ///
    /// Text that begins with `http://`, `https://`, `file:/`, or `data:` and has a comma behind that, is one.
    /// Other text with a scheme, such as `IMG:1.png`, is the path of a file if there is one of that name.
    static func isURL(_ text: String) -> Bool {
        let text = text.drop { $0.isWhitespace }
        guard hasScheme(text) else { return false }
        return isLoaded(text) || FileStatus(at: String(text), followsLinks: false) == nil
    }

    /// Whether text is a URL that `load` supports, whatever files exist.
    static func isLoaded(_ text: some StringProtocol) -> Bool {
        let start = text.prefix(8).lowercased()
        if start.hasPrefix("data:") { return text.utf8.contains(UInt8(ascii: ",")) }
        return ["http://", "https://", "file:/"].contains(where: start.hasPrefix)
    }

    /// Whether text is certainly meant as a URL: its scheme is supported, or is followed by two slashes.
    static func namesScheme(_ text: String) -> Bool {
        let text = text.drop { $0.isWhitespace }
        let scheme = text.prefix { $0 != ":" }
        return ["http", "https", "file", "data"].contains(scheme.lowercased())
            || text.dropFirst(scheme.count).hasPrefix("://")
    }

    /// Whether text begins with a scheme of at least two characters and a colon (RFC 3986 §3.1).
    ///
    /// The same rule as that of ``Calotype/ImageRequest``.
    private static func hasScheme(_ text: Substring) -> Bool {
        let scheme = text.prefix { $0 != ":" }
        guard scheme.utf8.count >= 2, scheme.endIndex != text.endIndex, let first = scheme.first else {
            return false
        }
        return first.isASCII && first.isLetter
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
