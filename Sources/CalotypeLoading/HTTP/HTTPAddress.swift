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
        var (url, text) = (url, url.absoluteString)
        guard text.utf8.count <= Self.byteCountMax else {
            throw FetchError(.invalidURL, detail: "the URL has more than \(Self.byteCountMax) bytes")
        }
        guard let host = url.host, !host.isEmpty else {
            throw FetchError(.invalidURL, detail: "the URL has no host")
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else {
            throw FetchError(.invalidURL, detail: "the URL's port is not between 1 and 65535")
        }
        // Hardly any URL has either, and to ask for them takes longer than to look.
        let mayHaveMore = text.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") }
        authorization = mayHaveMore ? url.basicAuthorization : nil
        if mayHaveMore, url.user != nil || url.password != nil || url.fragment != nil {
            url = try Self.bare(url)
            text = url.absoluteString
        }
        (self.url, self.text, self.scheme, self.host, self.port) = (url, text, scheme, host, port)
        origin = "\(scheme)://\(host.lowercased()):\(port)"
    }

    private static func bare(_ url: URL) throws(FetchError) -> URL {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.percentEncodedUser = nil
        components?.percentEncodedPassword = nil
        components?.percentEncodedFragment = nil
        guard let bare = components?.url else {
            throw FetchError(.invalidURL, detail: "the URL cannot be taken apart")
        }
        return bare
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
