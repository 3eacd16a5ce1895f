import FoundationEssentials

/// The validated URL of an HTTP request, with its components.
///
/// They are extracted once: `URL` parses them again at each access.
struct HTTPAddress {
    /// The URL without user, password and fragment.
    let url: URL
    let text: String
    /// `http` or `https`.
    let scheme: String
    /// The host as written in the URL.
    let host: String
    /// The port, or the scheme's default.
    let port: Int
    /// Scheme, host and port, which separate limits and credentials.
    let origin: String
    /// The user and password of the URL, as basic authentication.
    let authorization: String?

    /// Longer URLs are rejected; servers accept 8 to 16 KiB.
    private static let maxByteCount = 64 << 10

    /// Parses a URL.
    ///
    /// - Throws: ``FetchError/Code/unsupportedScheme`` or ``FetchError/Code/invalidURL``.
    init(_ url: URL) throws(FetchError) {
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw FetchError(.unsupportedScheme, detail: "“\(scheme.prefix(32))” is neither http nor https")
        }
        let given = url.absoluteString
        guard given.utf8.count <= Self.maxByteCount else {
            throw FetchError(.invalidURL, detail: "the URL has more than \(Self.maxByteCount) bytes")
        }
        guard let host = url.host, !host.isEmpty else {
            throw FetchError(.invalidURL, detail: "the URL has no host")
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else {
            throw FetchError(.invalidURL, detail: "the URL's port is not between 1 and 65535")
        }
        guard let requestURL = url.requestURL else {
            throw FetchError(.invalidURL, detail: "the URL cannot be parsed")
        }
        // Hardly any URL has these parts.
        authorization = given.utf8.contains(UInt8(ascii: "@")) ? url.basicAuthorization : nil
        self.url = requestURL
        self.text = requestURL.absoluteString
        self.scheme = scheme
        self.host = host
        self.port = port
        origin = "\(scheme)://\(host.lowercased()):\(port)"
    }
}

extension URL {
    fileprivate var basicAuthorization: String? {
        let user = user(percentEncoded: false) ?? ""
        let password = password(percentEncoded: false) ?? ""
        if user.isEmpty, password.isEmpty { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
