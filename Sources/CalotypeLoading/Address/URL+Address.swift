package import FoundationEssentials

// Foundation's own `URL(string:)` escapes every `%` again as soon as one character is not allowed.

extension URL {
    /// Creates a URL from text as people and servers write it, so that the request reaches the intended
    /// resource.
    ///
    /// Valid escapes are preserved, each forbidden byte is escaped once, and control characters and spaces
    /// around the text are dropped. For `http:` and `https:`, scheme and host are canonicalised, the standard
    /// port and `.` and `..` segments are removed, and an empty path becomes `/`
    /// (`Docs/decisions/0251-one-parser-of-addresses.md`).
    ///
    /// - Returns: `nil` if the text has no scheme, or an invalid authority.
    package init?(address text: some StringProtocol) {
        var address = AddressText(text.utf8)
        if address.isWeb { address.mendSlashes() }
        self.init(address: address)
    }

    /// Creates the URL that a reference resolves to, such as the value of `Location` (RFC 3986 §5).
    ///
    /// - Parameters:
    ///   - reference: The reference, absolute or relative, normalised as by ``init(address:)``.
    ///   - base: The `http:` or `https:` URL that it is relative to; its fragment and user are not inherited.
    package init?(reference: some StringProtocol, relativeTo base: URL) {
        var address = AddressText(reference.utf8)
        var origin = AddressText(base.absoluteString.utf8)
        origin.dropUser()
        // Browsers treat `http:/a` as relative if the scheme is the same; others treat it as a host.
        if address.authority != nil || address.scheme != origin.scheme { address.mendSlashes() }
        address.resolve(against: origin)
        self.init(address: address)
    }

    /// Creates a URL from the text of an `http:` or `https:` URL with scheme, host and port canonicalised;
    /// the rest is unchanged.
    ///
    /// - Returns: `nil` for other schemes, and if the host or the port is invalid.
    package init?(spellingOfPlace text: String) {
        let address = AddressText(text.utf8)
        guard address.isWeb, let scheme = address.scheme, let authority = address.authority,
            let place = AddressAuthority(authority, scheme: scheme)
        else { return nil }
        let path = String(decoding: address.path, as: UTF8.self)
        let text = "\(scheme)://\(place.text)\(path.isEmpty ? "/" : path)\(address.tail)"
        self.init(string: text, encodingInvalidCharacters: false)
    }

    private init?(address: AddressText) {
        guard let scheme = address.scheme else { return nil }
        guard let text = address.isWeb ? address.webText(scheme) : address.text(scheme) else { return nil }
        self.init(string: text, encodingInvalidCharacters: false)
    }
}

extension AddressText {
    fileprivate var isWeb: Bool { scheme == "http" || scheme == "https" }

    /// Returns the whole address, of any scheme, with forbidden bytes escaped.
    fileprivate func text(_ scheme: String) -> String? {
        var text = "\(scheme):"
        if let authority {
            // Brackets are only allowed around an address.
            text += "//" + String(decoding: authority, as: UTF8.self)
        }
        return text + percentEncoded(path, as: .path) + tail
    }

    /// Returns the address of a scheme with hosts in canonical form.
    fileprivate func webText(_ scheme: String) -> String? {
        guard let authority, let place = AddressAuthority(authority, scheme: scheme) else { return nil }
        let path = percentEncoded(removingDotSegments(path), as: .path)
        return "\(scheme)://\(place.text)\(path.isEmpty ? "/" : path)\(tail)"
    }

    fileprivate var tail: String {
        (query.map { "?" + percentEncoded($0, as: .query) } ?? "")
            + (fragment.map { "#" + percentEncoded($0, as: .query) } ?? "")
    }
}

/// The validated authority of an `http:` or `https:` address (RFC 3986 §3.2).
private struct AddressAuthority {
    let user: String?
    let host: String
    let port: Int?

    init?(_ bytes: ArraySlice<UInt8>, scheme: String) {
        // Browsers treat a backslash as a slash, others as a letter: neither reading is safe.
        guard !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        var place = bytes
        if let mark = place.lastIndex(of: UInt8(ascii: "@")) {
            user = percentEncoded(place[..<mark], as: .user)
            place = place[(mark + 1)...]
        } else {
            user = nil
        }
        let hostEnd = place.lastIndex(of: UInt8(ascii: ":")).flatMap { colon in
            // The colons of an IPv6 address are in brackets.
            place[colon...].contains(UInt8(ascii: "]")) ? nil : colon
        }
        guard let host = normalizedHost(place[..<(hostEnd ?? place.endIndex)]) else { return nil }
        self.host = host
        let digits = place[(hostEnd.map { $0 + 1 } ?? place.endIndex)...].drop { $0 == UInt8(ascii: "0") }
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.count <= 5 else { return nil }
        let number = Int(String(decoding: digits, as: UTF8.self))
        // Leading zeros are dropped; port 0 is invalid.
        let hasPort = hostEnd.map { $0 + 1 < place.endIndex } ?? false
        guard !hasPort || (1...65_535).contains(number ?? 0) else { return nil }
        port = number == (scheme == "https" ? 443 : 80) ? nil : number
    }

    var text: String {
        "\(user.map { "\($0)@" } ?? "")\(host)\(port.map { ":\($0)" } ?? "")"
    }
}
