import CalotypeLoading
package import FoundationEssentials

/// The URL of a source, parsed strictly, so that no other program can interpret it differently.
///
/// A `local:` URL is a file below the service's own root; the loader registered for the scheme opens it
/// there.
package struct SourceURL: Hashable, Sendable {
    /// The scheme in lower case: `http`, `https` or `local`.
    package let scheme: String
    /// The host in lower case, without a final dot; empty for `local`.
    package let host: String
    /// The port, if it differs from the scheme's default.
    package let port: Int?
    /// The path with its leading `/`, percent-encoded, and the query, if any, with its `?`.
    package let pathAndQuery: String
    package let url: URL

    /// The path without the query.
    package var path: Substring { pathAndQuery.prefix(before: UInt8(ascii: "?")) }

    /// Parses a URL.
    ///
    /// Valid escapes are preserved, and each byte that is not allowed in a URL is escaped once; an
    /// international host is converted to Punycode; a fragment is removed. Rejected are user names,
    /// backslashes, control characters, hosts with characters other than letters, digits, `-`, `_` and dots,
    /// ports out of range, and paths that lead upwards, however they are encoded.
    ///
    /// - Throws: ``RequestError`` with `invalidSource`.
    package init(_ text: String) throws(RequestError) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw Self.invalid(text, "it has no scheme")
        }
        scheme = text[..<colon].lowercased()
        guard ["http", "https", "local"].contains(scheme) else {
            throw Self.invalid(text, "its scheme is not http, https or local")
        }
        guard text.bytes.allSatisfy({ $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "\\") }) else {
            throw Self.invalid(text, "it has a backslash or a control character")
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw Self.invalid(text, "“//” is missing after the scheme") }
        let isLocal = scheme == "local"
        let behind = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
        let end = behind.utf8.firstIndex(where: Self.endsAuthority) ?? behind.endIndex
        let (authority, tail) = (behind[..<end], behind[end...])
        // The host is parsed character by character, so its length is limited first.
        guard authority.utf8.count <= 1_024 else { throw Self.invalid(text, "its host is too long") }
        (host, port) = isLocal ? ("", nil) : try Self.hostAndPort(authority, scheme, of: text)
        guard !isLocal || authority.isEmpty else { throw Self.invalid(text, "a local file has no host") }
        pathAndQuery = Self.pathAndQuery(tail, isLocal: isLocal)
        guard Self.staysBelow(pathAndQuery.prefix(before: UInt8(ascii: "?"))) else {
            throw Self.invalid(text, "its path leads upwards")
        }
        let place = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)\(port.map { ":\($0)" } ?? "")"
        guard let url = URL(string: place + pathAndQuery, encodingInvalidCharacters: false) else {
            throw Self.invalid(text, "it is not a URL")
        }
        self.url = url
    }

    /// Returns the URL to load.
    ///
    /// - Parameter localRoot: The folder of `local:` sources, a `file:` URL.
    /// - Returns: The URL; a file URL for `local:` if there is a folder.
    func url(below localRoot: URL?) -> URL {
        guard scheme == "local", let localRoot else { return url }
        return URL(
            string: localRoot.absoluteString.trimmingSlash + pathAndQuery,
            encodingInvalidCharacters: false
        ) ?? url
    }

    /// Returns the normalized prefix of all source URLs that begin with a text, spelled as by ``init(_:)``.
    ///
    /// A host may be cut anywhere if nothing follows it; a port may not. A text without “://” is returned
    /// unchanged.
    ///
    /// - Throws: ``RequestError`` with `invalidSource`.
    static func beginning(_ text: String, below localRoot: URL?) throws(RequestError) -> String {
        guard let mark = text.firstRange(of: "://") else { return text }
        let scheme = text[..<mark.lowerBound].lowercased()
        let authority = text[mark.upperBound...]
        if scheme == "local", authority.isEmpty {
            return localRoot?.absoluteString.trimmingSlash ?? "local://"
        }
        guard !authority.contains(where: { ":/?#".contains($0) }) else {
            return try SourceURL(text).url(below: localRoot).absoluteString
        }
        let isASCII = authority.utf8.allSatisfy { $0 < 0x80 }
        let host = isASCII ? nil : normalizedHost(Array(authority.utf8)[...])
        return "\(scheme)://\(host ?? authority.lowercased())"
    }

    private static func invalid(_ text: String, _ reason: String) -> RequestError {
        RequestError(.invalidSource, detail: "\(text.quoted) is not a valid source: \(reason)")
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func hostAndPort(
        _ authority: Substring,
        _ scheme: String,
        of text: String
    ) throws(RequestError) -> (String, Int?) {
        guard !authority.contains("@") else { throw invalid(text, "it has a user name") }
        var (name, rest) = (authority[...], Substring())
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            name = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard let host = normalizedHost(Array("[\(name)]".utf8)[...]) else {
                throw invalid(text, "its host is not an IPv6 address")
            }
            name = host.dropFirst().dropLast()
        } else {
            name = authority.prefix { $0 != ":" }
            rest = authority.dropFirst(name.count)
            guard !name.contains("%"), var host = normalizedHost(Array(name.utf8)[...]) else {
                throw invalid(text, "its host is not a name or an address")
            }
            if host.last == "." {
                // Without its final dot, a number is an address.
                host = normalizedHost(Array(host.utf8.dropLast())[...]) ?? ""
            }
            guard !host.isEmpty, host.utf8.allSatisfy(isOfHost), host.utf8.count <= 253,
                !host.contains(".."), host.last != "."
            else { throw invalid(text, "its host is not a name or an address") }
            name = host[...]
        }
        guard !rest.isEmpty, rest != ":" else { return (name.lowercased(), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (48...57).contains($0) }), digits.count <= 5,
            let port = Int(digits), (1...65_535).contains(port)
        else { throw invalid(text, "its port is not a number from 1 to 65535") }
        return (name.lowercased(), port == (scheme == "https" ? 443 : 80) ? nil : port)
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Returns the text after the host without a fragment; each byte not allowed in a URL is escaped once.
    static func pathAndQuery(_ tail: Substring, isLocal: Bool) -> String {
        let slash = tail.utf8.first == UInt8(ascii: "/") ? "" : "/"
        // In a file name `%`, `?` and `#` are literal.
        if isLocal { return slash + percentEncoded(tail.utf8, as: .path, keepsEscapes: false) }
        let whole = tail.prefix(before: UInt8(ascii: "#"))
        let path = whole.prefix(before: UInt8(ascii: "?"))
        let query = whole[path.endIndex...]
        return slash + percentEncoded(path.utf8, as: .path)
            + (query.isEmpty ? "" : "?" + percentEncoded(query.utf8.dropFirst(), as: .query))
    }

    /// Whether no segment of a path is `..` or contains a zero byte, however often it is encoded.
    private static func staysBelow(_ path: Substring) -> Bool {
        guard let decoded = URLText.decodedThroughout(String(path)) else { return false }
        // Compared by bytes: in Swift a combining mark after a slash forms another character, but not in a
        // server.
        var (dotCount, hasOthers) = (0, false)
        for byte in decoded.bytes {
            switch byte {
            case 0: return false
            case UInt8(ascii: "/"), UInt8(ascii: "\\"):
                if dotCount == 2, !hasOthers { return false }
                (dotCount, hasOthers) = (0, false)
            case UInt8(ascii: "."): dotCount += 1
            default: hasOthers = true
            }
        }
        return dotCount != 2 || hasOthers
    }
}

extension SourceURL: CustomStringConvertible {
    package var description: String { url.absoluteString }
}
