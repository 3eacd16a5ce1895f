internal import CalotypeLoading
public import FoundationEssentials

extension ImageRequest {
    /// Creates a request for a URL, with the default of each property.
    public init(_ url: URL) {
        self.init(url: url)
    }

    /// Creates a request from text that may be untrusted: an `http:`, `https:` or `data:` URL.
    ///
    /// Local files are never read, whatever the text says. For text by strangers see
    /// `RoutingLoader.publicWeb` too: an `http:` URL may name an address of a private network.
    ///
    /// The address is parsed as a browser does: valid escapes stay, invalid characters are escaped once, and
    /// surrounding white space is dropped.
    ///
    /// - Throws: ``LoadError`` with the code `invalidURL` if the text is not such a URL.
    public init(_ text: some StringProtocol) throws(LoadError) {
        do throws(FetchError) {
            self.init(url: try URL(webText: String(text)))
        } catch {
            throw LoadError(stage: .load, underlying: error)
        }
    }

    /// Creates a request for a local file.
    ///
    /// - Parameter path: The path, relative to the current folder unless it begins with `/`.
    public init(filePath path: String) {
        self.init(url: URL(filePath: path))
    }

    /// Creates a request from the input of a program's user: a URL, or the path of a file.
    ///
    /// Text that begins with a scheme and a colon is a URL; other text is a path, relative to the current
    /// folder unless it begins with `/`. Never use it for untrusted text, because it reads files.
    ///
    /// - Returns: `nil` if the text has a scheme but is not a URL, or is empty.
    public init?(addressOrPath text: String) {
        guard !text.isEmpty else { return nil }
        guard URL.hasScheme(text) else {
            self.init(filePath: text)
            return
        }
        guard let url = URL(address: text) else { return nil }
        self.init(url: url)
    }
}

extension ImageRequest: ExpressibleByStringInterpolation {
    /// Creates a request from a literal: a URL of any scheme that the program's loader supports.
    ///
    /// A literal that is not a URL creates a request that fails with `FetchError.Code.invalidURL` when it is
    /// loaded.
    public init(stringLiteral value: String) {
        guard URL.hasScheme(value), let url = URL(address: value) else {
            self.init(refusedText: value)
            return
        }
        self.init(url: url)
    }

    /// Creates a request from a literal with values in it: an `http:`, `https:` or `data:` URL.
    ///
    /// Other text creates a request that fails with `FetchError.Code.invalidURL` when it is loaded.
    public init(stringInterpolation: DefaultStringInterpolation) {
        let text = String(stringInterpolation: stringInterpolation)
        do throws(LoadError) {
            try self.init(text)
        } catch {
            self.init(refusedText: text)
        }
    }
}

extension FetchError {
    /// Returns the error for text that is not a valid URL.
    static func notAURL(_ text: String) -> FetchError {
        let detail = "“\(text.shownAddress)” is not a URL such as https://example.org/cat.jpeg"
        return FetchError(.invalidURL, detail: "\(detail); for a file use ImageRequest(filePath:)")
    }
}

extension URL {
    /// Creates a URL from text, if its scheme is `http`, `https` or `data`.
    fileprivate init(webText text: String) throws(FetchError) {
        guard let url = URL(address: text), let scheme = url.scheme, Self.hasScheme(text) else {
            throw .notAURL(text)
        }
        let isWeb = (scheme == "http" || scheme == "https") && url.host()?.isEmpty == false
        guard isWeb || scheme == "data" else { throw .notAURL(text) }
        self = url
    }

    /// Returns true if text begins with a scheme of at least two characters and a colon (RFC 3986 §3.1).
    fileprivate static func hasScheme(_ text: String) -> Bool {
        let text = text.drop { $0.isWhitespace }
        guard let colon = text.firstIndex(of: ":") else { return false }
        let scheme = text[..<colon]
        guard scheme.count >= 2, let first = scheme.first, first.isASCII, first.isLetter else { return false }
        return scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}

extension ImageRequest: CustomStringConvertible {
    /// The URL without user, password, query and fragment, and the variant; contains no secrets.
    public var description: String {
        if let refusedText { return "“\(refusedText.shownAddress)”, not a URL" }
        let (variant, address) = (variantIdentity, bytesAtHand ?? url.redactedText)
        return variant.isEmpty ? address : "\(address) (\(variant))"
    }
}

extension String {
    /// The beginning of a text that is not a URL, without user information and query, which may be secret.
    fileprivate var shownAddress: Substring {
        let shown = prefix { $0 != "?" && $0 != "#" }
        guard let mark = shown.lastIndex(of: "@") else { return shown.prefix(100) }
        let scheme = shown.firstRange(of: "//").map { shown[..<$0.upperBound] } ?? ""
        return "\(scheme)…\(shown[mark...])".prefix(100)
    }
}
