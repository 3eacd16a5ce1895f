public import FoundationEssentials

/// Which pictures may be asked for.
///
/// Compared as parsed URLs, never as text: `https://images.example` does not permit
/// `https://images.example.evil.example`, and `/shop` does not permit `/shopping`.
public struct SourcePolicy: Hashable, Sendable {
    /// One place and everything below it.
    public struct Place: Hashable, Sendable {
        /// `nil` where either of `http` and `https` will do.
        let scheme: String?
        let host: String
        /// Whether the host is what stands behind the `*.` of the text, and names one or more labels more.
        let coversSubdomains: Bool
        let port: Int?
        /// Without the `/` at its end; empty for all of the host.
        let path: String

        /// Reads `https://images.example/shop`, `images.example`, `*.images.example`, or `local:///shop`.
        ///
        /// Without a scheme both `http` and `https` are meant.
        ///
        /// - Throws: ``RequestError`` with `invalidSource`.
        public init(_ text: String) throws(RequestError) {
            let hasScheme = text.contains("://")
            let full = hasScheme ? text : "http://\(text)"
            coversSubdomains = full.contains("://*.")
            let plain = coversSubdomains ? full.replacing("://*.", with: "://", maxReplacements: 1) : full
            let source = try SourceURL(plain)
            guard !source.pathAndQuery.contains("?") else {
                throw RequestError(.invalidSource, detail: "\(text.quoted): a place has no query")
            }
            guard !source.path.contains("*") else {
                let detail = "\(text.quoted): a path has no *, since a place has all that is below it"
                throw RequestError(.invalidSource, detail: detail)
            }
            scheme = hasScheme ? source.scheme : nil
            (host, port) = (source.host, source.port)
            var path = String(source.path)
            while path.last == "/" { path.removeLast() }
            self.path = path
        }

        /// The host as URLs have it; empty for files.
        ///
        /// For a place of subdomains the name that they are below.
        package var hostText: String { host }

        /// Whether the place is a folder of files.
        package var isLocal: Bool { scheme == "local" }

        func contains(_ source: SourceURL) -> Bool {
            guard scheme == nil ? source.scheme != "local" : scheme == source.scheme else { return false }
            guard source.port == port else { return false }
            guard coversSubdomains ? source.host.hasSuffix(".\(host)") : source.host == host else {
                return false
            }
            return path.isEmpty || source.path == path || source.path.hasPrefix("\(path)/")
        }
    }

    /// The places that may be asked for; `nil`, the default, for every one of `http` and `https`.
    ///
    /// Files are permitted where a `local:` place is among them, or by ``includesLocalFiles``.
    public var places: [Place]?

    /// Whether files are permitted beside every place of the web, where there are no ``places``; false unless
    /// set.
    public var includesLocalFiles = false

    /// Creates a policy.
    public init(places: [Place]? = nil) {
        self.places = places
    }

    /// Reads a list of places.
    ///
    /// - Throws: ``RequestError`` with `invalidSource`.
    public init(_ texts: [String]) throws(RequestError) {
        var places: [Place] = []
        for text in texts { places.append(try Place(text)) }
        self.init(places: places)
    }

    /// Refuses a picture that may not be asked for.
    ///
    /// - Throws: ``RequestError`` with `sourceNotAllowed`.
    public func check(_ source: SourceURL) throws(RequestError) {
        let isAllowed =
            places.map { $0.contains { $0.contains(source) } }
            ?? (source.scheme != "local" || includesLocalFiles)
        guard isAllowed else {
            throw RequestError(
                .sourceNotAllowed,
                detail: "\(source.description.quoted) is in no place allowed"
            )
        }
    }

    /// Whether a URL may be loaded, such as one that a redirect leads to.
    public func permits(_ url: URL) -> Bool {
        do throws(RequestError) {
            try check(try SourceURL(url.absoluteString))
            return true
        } catch {
            return false
        }
    }
}
