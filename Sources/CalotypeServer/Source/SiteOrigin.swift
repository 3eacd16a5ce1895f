/// The origin of sources that URLs name by their path alone, such as `/photos/a.jpg`.
public struct SiteOrigin: Hashable, Sendable {
    /// Its URL, with the path that precedes all paths.
    package let base: SourceURL

    /// Parses a URL such as `https://shop.example`, with a path or without.
    ///
    /// - Throws: ``RequestError`` with `invalidSource` for another scheme, and for a query.
    public init(_ text: String) throws(RequestError) {
        base = try SourceURL(text)
        guard base.scheme != "local", !base.pathAndQuery.contains("?"), !text.contains("#") else {
            throw RequestError(.invalidSource, detail: "\(text.quoted) is not the base URL of a site")
        }
    }

    /// Returns the source for a path with its leading `/`, and its query, if any.
    ///
    /// - Throws: ``RequestError`` with `invalidSource`.
    func source(_ pathAndQuery: some StringProtocol) throws(RequestError) -> SourceURL {
        try SourceURL(base.description.trimmingSlash + pathAndQuery)
    }

    /// Whether a source is on the host of the site, or on a subdomain of it.
    func covers(_ source: SourceURL) -> Bool {
        guard source.scheme != "local" else { return false }
        return source.host == base.host || source.host.hasSuffix(".\(base.host)")
    }

    /// Returns the source that an unsigned grammar names, by a path on the site or by a whole URL.
    ///
    /// - Parameters:
    ///   - text: A path with its leading `/`, and its query, if any; or an `http:` or `https:` URL.
    ///   - site: The site; `nil` if none is configured.
    /// - Returns: The source.
    /// - Throws: ``RequestError`` with `sourceNotAllowed` for a path without a site; with `invalidSource` for
    ///   any other text, and for a path of this service on any host: each level of nested URLs would hold a
    ///   connection to the site until the next level has responded.
    static func source(_ text: String, on site: SiteOrigin?) throws(RequestError) -> SourceURL {
        let isPath = text.utf8.first == UInt8(ascii: "/")
        let source = try isPath ? sourceOfPath(text, on: site) : SourceURL(text)
        guard source.scheme != "local" else {
            throw RequestError(.invalidSource, detail: "\(text.quoted) is not an http or https URL")
        }
        guard !isOwnPath(source.path) else {
            throw RequestError(.invalidSource, detail: "\(text.quoted) is an image of this service")
        }
        return source
    }

    private static func sourceOfPath(
        _ text: String,
        on site: SiteOrigin?
    ) throws(RequestError) -> SourceURL {
        guard let site else {
            throw RequestError(.sourceNotAllowed, detail: "\(text.quoted) has no host, and no site is set")
        }
        guard !text.utf8.starts(with: "//".utf8) else {
            throw RequestError(.invalidSource, detail: "\(text.quoted) has a host without a scheme")
        }
        return try site.source(text)
    }

    /// Whether a path contains one of the unsigned grammars' paths, as a proxy may normalize it: decoded,
    /// without empty segments and `.`.
    private static func isOwnPath(_ path: Substring) -> Bool {
        let decoded = URLText.decodedThroughout(String(path)) ?? ""
        let segments = decoded.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        return zip(segments, segments.dropFirst()).contains { first, second in
            second.elementsEqual("image".utf8)
                && (first.elementsEqual("_next".utf8) || first.elementsEqual("cdn-cgi".utf8))
        }
    }
}
