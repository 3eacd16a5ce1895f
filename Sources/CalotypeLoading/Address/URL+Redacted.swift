package import FoundationEssentials

extension URL {
    /// Scheme, host and port as one text, which separates credentials and limits: `http` on the host of an
    /// `https` URL is a different origin.
    package var originText: String {
        let scheme = scheme?.lowercased() ?? ""
        let standardPort = scheme == "https" ? 443 : 80
        return "\(scheme)://\(host()?.lowercased() ?? ""):\(port ?? standardPort)"
    }
}

extension URL {
    /// The most characters of a URL in a log line.
    private static let maxLineLength = 200

    /// The URL without parts that may be secret (user, password, query, fragment), at most 200 characters.
    package var redactedText: String {
        guard scheme?.lowercased() != "data" else { return "data:" }
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "?" }
        components.percentEncodedUser = nil
        components.percentEncodedPassword = nil
        components.percentEncodedQuery = nil
        components.fragment = nil
        let text = components.string ?? "?"
        return text.count > Self.maxLineLength ? "\(text.prefix(Self.maxLineLength))…" : text
    }
}
