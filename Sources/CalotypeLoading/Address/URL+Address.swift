package import FoundationEssentials

// Foundation's own `URL(string:)` escapes every `%` again as soon as one character is not allowed.

extension URL {
    /// Creates a URL from text as people and servers write it, so that what it names reaches its origin.
    ///
    /// Valid escapes stay, each byte that may not stand where it is gets escaped once, and control characters
    /// and spaces around are dropped. For `http:` and `https:`, scheme and host get their one spelling, the
    /// standard port and `.` and `..` segments go, and an empty path becomes `/`
    /// (`Docs/decisions/0251-one-parser-of-addresses.md`).
    ///
    /// - Returns: `nil` where the text has no scheme, or an authority that is not valid.
    package init?(address text: some StringProtocol) {
        var address = AddressText(text.utf8)
        if address.isWeb { address.mendSlashes() }
        self.init(address: address)
    }

    /// Creates the URL that a reference leads to, such as the value of `Location` (RFC 3986 §5).
    ///
    /// - Parameters:
    ///   - reference: The reference, absolute or relative, normalized as by ``init(address:)``.
    ///   - base: The `http:` or `https:` URL that it is relative to; its fragment and user do not go along.
    package init?(reference: some StringProtocol, relativeTo base: URL) {
        var address = AddressText(reference.utf8)
        var origin = AddressText(base.absoluteString.utf8)
        origin.dropUser()
        // To a browser `http:/a` is relative where the scheme is the same, to others it names a host.
        if address.authority != nil || address.scheme != origin.scheme { address.mendSlashes() }
        address.resolve(against: origin)
        self.init(address: address)
    }

    /// Creates the URL of an `http:` or `https:` URL's text with scheme, host and port in their one
    /// spelling; all else stays as it is.
    ///
    /// - Returns: `nil` for other schemes, and where the host or the port is not valid.
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
    /// Whether the scheme is `http` or `https`.
    fileprivate var isWeb: Bool { scheme == "http" || scheme == "https" }

    /// The whole address with everything escaped that has to be; of any scheme.
    fileprivate func text(_ scheme: String) -> String? {
        var text = "\(scheme):"
        if let authority {
            // A bracket is allowed around an address alone.
            text += "//" + String(decoding: authority, as: UTF8.self)
        }
        return text + percentEncoded(path, as: .path) + tail
    }

    /// The address of a scheme with hosts, in its one spelling.
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

/// The authority of an `http:` or `https:` address, checked (RFC 3986 §3.2).
private struct AddressAuthority {
    let user: String?
    let host: String
    let port: Int?

    init?(_ bytes: ArraySlice<UInt8>, scheme: String) {
        // A backslash is a slash to browsers and a letter to others: neither reading is safe.
        guard !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        var place = bytes
        if let mark = place.lastIndex(of: UInt8(ascii: "@")) {
            user = percentEncoded(place[..<mark], as: .user)
            place = place[(mark + 1)...]
        } else {
            user = nil
        }
        let hostEnd = place.lastIndex(of: UInt8(ascii: ":")).flatMap { colon in
            // The colons of an IPv6 address stand in brackets.
            place[colon...].contains(UInt8(ascii: "]")) ? nil : colon
        }
        guard let host = normalizedHost(place[..<(hostEnd ?? place.endIndex)]) else { return nil }
        self.host = host
        let digits = place[(hostEnd.map { $0 + 1 } ?? place.endIndex)...].drop { $0 == UInt8(ascii: "0") }
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.count <= 5 else { return nil }
        let number = Int(String(decoding: digits, as: UTF8.self))
        // Leading zeros are dropped; zeros alone are no port to connect to.
        let hasPort = hostEnd.map { $0 + 1 < place.endIndex } ?? false
        guard !hasPort || (1...65_535).contains(number ?? 0) else { return nil }
        port = number == (scheme == "https" ? 443 : 80) ? nil : number
    }

    var text: String {
        "\(user.map { "\($0)@" } ?? "")\(host)\(port.map { ":\($0)" } ?? "")"
    }
}
