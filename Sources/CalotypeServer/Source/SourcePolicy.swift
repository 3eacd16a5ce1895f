public import FoundationEssentials

/// The permitted sources of images.
///
/// Parsed URLs are compared, never text: `https://images.example` does not permit
/// `https://images.example.evil.example`, and `/shop` does not permit `/shopping`.
public struct SourcePolicy: Hashable, Sendable {
    /// An origin or a path, and everything below it.
    public struct Pattern: Hashable, Sendable {
        /// The scheme, or `nil` for both `http` and `https`.
        let scheme: String?
        let host: String
        /// Whether the host is the text after `*.`, and matches names with one or more additional labels.
        let coversSubdomains: Bool
        let port: Int?
        /// The path without its final `/`; empty for the whole host.
        let path: String

        /// Parses `https://images.example/shop`, `images.example`, `*.images.example`, or `local:///shop`.
        ///
        /// Without a scheme it matches both `http` and `https`.
        ///
        /// - Throws: ``RequestError`` with `invalidSource`.
        public init(_ text: String) throws(RequestError) {
            let hasScheme = text.contains("://")
            let full = hasScheme ? text : "http://\(text)"
            coversSubdomains = full.contains("://*.")
            let plain = coversSubdomains ? full.replacing("://*.", with: "://", maxReplacements: 1) : full
            let source = try SourceURL(plain)
            guard !source.pathAndQuery.contains("?") else {
                throw RequestError(.invalidSource, detail: "\(text.quoted): remove the query")
            }
            guard !source.path.contains("*") else {
                let detail = "\(text.quoted): remove the * from the path; subpaths are always included"
                throw RequestError(.invalidSource, detail: detail)
            }
            scheme = hasScheme ? source.scheme : nil
            (host, port) = (source.host, source.port)
            var path = String(source.path)
            while path.last == "/" { path.removeLast() }
            self.path = path
        }

        /// The host as in URLs; empty for files.
        ///
        /// For `*.` it is the parent domain.
        package var hostText: String { host }

        /// Whether it is a folder of local files.
        package var isLocal: Bool { scheme == "local" }

        /// Whether it permits some sources of the host of another one.
        package func covers(hostOf source: SourceURL) -> Bool {
            guard scheme == nil || scheme == source.scheme, source.port == port else { return false }
            return coversSubdomains ? source.host.hasSuffix(".\(host)") : source.host == host
        }

        func contains(_ source: SourceURL) -> Bool {
            guard scheme == nil ? source.scheme != "local" : scheme == source.scheme else { return false }
            guard source.port == port else { return false }
            guard coversSubdomains ? source.host.hasSuffix(".\(host)") : source.host == host else {
                return false
            }
            return path.isEmpty || source.path == path || source.path.hasPrefix("\(path)/")
        }
    }

    /// The permitted patterns; `nil`, the default, permits all `http` and `https` sources.
    ///
    /// Local files are permitted by a `local:` pattern, or by ``includesLocalFiles``.
    public var patterns: [Pattern]?

    /// Whether local files are permitted if ``patterns`` is `nil`; false unless set.
    public var includesLocalFiles = false

    /// Creates a policy.
    public init(patterns: [Pattern]? = nil) {
        self.patterns = patterns
    }

    /// Parses a list of patterns.
    ///
    /// - Throws: ``RequestError`` with `invalidSource`.
    public init(_ texts: [String]) throws(RequestError) {
        var patterns: [Pattern] = []
        for text in texts { patterns.append(try Pattern(text)) }
        self.init(patterns: patterns)
    }

    /// Rejects a source that is not permitted.
    ///
    /// - Throws: ``RequestError`` with `sourceNotAllowed`.
    package func check(_ source: SourceURL) throws(RequestError) {
        let isAllowed =
            patterns.map { $0.contains { $0.contains(source) } }
            ?? (source.scheme != "local" || includesLocalFiles)
        guard isAllowed else {
            throw RequestError(
                .sourceNotAllowed,
                detail: "\(source.description.quoted) is not in an allowed source"
            )
        }
    }

    /// Whether a URL may be loaded, such as the target of a redirect.
    public func permits(_ url: URL) -> Bool {
        do throws(RequestError) {
            try check(try SourceURL(url.absoluteString))
            return true
        } catch {
            return false
        }
    }
}
