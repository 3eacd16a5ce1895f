import FoundationEssentials

/// Where a request over HTTP goes: a URL that was checked, with its parts.
///
/// They are taken out once: `URL` looks for them anew each time it is asked.
struct HTTPAddress {
    /// The URL without user, password and fragment.
    let url: URL
    /// The URL as text.
    let text: String
    /// `http` or `https`.
    let scheme: String
    /// The host as the URL writes it.
    let host: String
    /// The port, also where the URL names none.
    let port: Int
    /// Scheme, host and port, as they count for limits and credentials.
    let origin: String
    /// User and password as the URL gives them, for basic authentication.
    let authorization: String?

    /// Longer URLs are refused; servers take 8 to 16 KiB.
    private static let byteCountMax = 64 << 10

    /// Takes a URL apart.
    ///
    /// - Throws: ``FetchError/Code/unsupportedScheme`` or ``FetchError/Code/invalidURL``.
    init(_ url: URL) throws(FetchError) {
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw FetchError(.unsupportedScheme, detail: "“\(scheme.prefix(32))” is neither http nor https")
        }
        let given = url.absoluteString
        guard given.utf8.count <= Self.byteCountMax else {
            throw FetchError(.invalidURL, detail: "the URL has more than \(Self.byteCountMax) bytes")
        }
        guard let host = url.host, !host.isEmpty else {
            throw FetchError(.invalidURL, detail: "the URL has no host")
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else {
            throw FetchError(.invalidURL, detail: "the URL's port is not between 1 and 65535")
        }
        guard let requestURL = url.requestURL else {
            throw FetchError(.invalidURL, detail: "the URL cannot be taken apart")
        }
        // Hardly any URL has either.
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
