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

    /// The first segments of the paths of this service's own grammars.
    private static let ownPaths = ["/cdn-cgi/image/", "/_next/image/"]

    /// Returns the source that a grammar names by its path.
    ///
    /// - Parameters:
    ///   - pathAndQuery: The path with its leading `/`, and its query, if any.
    ///   - site: The site; `nil` if none is configured.
    /// - Returns: The source.
    /// - Throws: ``RequestError`` with `sourceNotAllowed` without a site; with `invalidSource` for another
    ///   host, and for a path of this service, which would be requested again and again.
    static func source(
        _ pathAndQuery: some StringProtocol,
        on site: SiteOrigin?
    ) throws(RequestError) -> SourceURL {
        let text = String(pathAndQuery)
        guard let site else {
            throw RequestError(.sourceNotAllowed, detail: "\(text.quoted) has no host, and no site is set")
        }
        guard !text.utf8.starts(with: "//".utf8) else {
            throw RequestError(.invalidSource, detail: "\(text.quoted) has a host without a scheme")
        }
        let path = URLText.decodedThroughout(String(text.prefix(before: UInt8(ascii: "?")))) ?? ""
        guard !ownPaths.contains(where: { "\(path)/".firstRange(ofBytes: $0) != nil }) else {
            throw RequestError(.invalidSource, detail: "\(text.quoted) is an image of this service")
        }
        return try site.source(text)
    }
}
