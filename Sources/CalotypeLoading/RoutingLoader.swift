import FoundationEssentials

/// The scheme of a URL, before the colon; compared ignoring case.
public struct URLScheme: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The scheme in lower case, without the colon.
    public let name: String

    /// Creates a scheme from its name.
    public init(_ name: String) {
        self.name = name.lowercased()
    }

    /// Creates a scheme from its name.
    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// HTTP without TLS.
    public static let http = URLScheme("http")
    /// HTTP over TLS.
    public static let https = URLScheme("https")
    /// Local files.
    ///
    /// A URL without a scheme is not one of these: its author may have meant a host.
    public static let file = URLScheme("file")
    /// Bytes in the URL itself, RFC 2397.
    public static let data = URLScheme("data")
}

/// A loader that passes each request to the loader registered for its URL's scheme.
public struct RoutingLoader: DataLoader {
    private let loaders: [URLScheme: any DataLoader]

    /// Whether any of the loaders may have an identity.
    public let hasCacheIdentity: Bool

    /// Creates a router; one loader may serve several schemes.
    public init(_ loaders: [URLScheme: any DataLoader]) {
        self.loaders = loaders
        hasCacheIdentity = loaders.values.contains(where: \.hasCacheIdentity)
    }

    /// Starts a load with the loader for the URL's scheme.
    ///
    /// - Throws: ``FetchError/Code/unsupportedScheme`` if there is none, otherwise the error of the loader.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        guard let loader = loader(for: request) else {
            let scheme = request.url.scheme ?? ""
            let known = loaders.keys.map(\.name).sorted().joined(separator: ", ")
            throw FetchError(
                .unsupportedScheme,
                detail: "no loader for “\(scheme.prefix(32))”; supported schemes: \(known)"
            )
        }
        return try await loader.response(for: request)
    }

    /// Returns the identity from the loader for the URL's scheme.
    public func cacheIdentity(for request: FetchRequest) -> String {
        loader(for: request)?.cacheIdentity(for: request) ?? ""
    }

    /// The total activity of all loaders.
    public var activity: LoaderActivity {
        loaders.values.reduce(LoaderActivity()) { $0.merging($1.activity) }
    }

    private func loader(for request: FetchRequest) -> (any DataLoader)? {
        request.url.scheme.flatMap { loaders[URLScheme($0)] }
    }

    /// Shuts down all loaders, one after the other.
    public func shutdown() async {
        for loader in loaders.values {
            await loader.shutdown()
        }
    }
}
