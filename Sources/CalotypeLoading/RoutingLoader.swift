import FoundationEssentials

/// The first part of a URL, before the colon; compared without regard to case.
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
    /// Files of this machine; a URL without a scheme is none, whoever wrote it may have meant a host.
    public static let file = URLScheme("file")
    /// Bytes in the URL itself, RFC 2397.
    public static let data = URLScheme("data")
}

/// Hands each request to the loader that is registered for its URL's scheme.
public struct RoutingLoader: DataLoader {
    private let loaders: [URLScheme: any DataLoader]

    /// Whether that of any of the loaders is.
    public let hasCacheIdentity: Bool

    /// Creates a router; one loader may stand for several schemes.
    public init(_ loaders: [URLScheme: any DataLoader]) {
        self.loaders = loaders
        hasCacheIdentity = loaders.values.contains(where: \.hasCacheIdentity)
    }

    /// Starts a load with the loader for the URL's scheme.
    ///
    /// - Throws: ``FetchError/Code/unsupportedScheme`` where there is none; else what the loader throws.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        guard let loader = loader(for: request) else {
            let scheme = request.url.scheme ?? ""
            let known = loaders.keys.map(\.name).sorted().joined(separator: ", ")
            throw FetchError(
                .unsupportedScheme,
                detail: "no loader for “\(scheme.prefix(32))”; there are loaders for \(known)"
            )
        }
        return try await loader.response(for: request)
    }

    /// The identity that the loader for the URL's scheme gives.
    public func cacheIdentity(for request: FetchRequest) -> String {
        loader(for: request)?.cacheIdentity(for: request) ?? ""
    }

    /// That of all loaders together.
    public var activity: LoaderActivity {
        loaders.values.reduce(LoaderActivity()) { $0.merging($1.activity) }
    }

    private func loader(for request: FetchRequest) -> (any DataLoader)? {
        request.url.scheme.flatMap { loaders[URLScheme($0)] }
    }

    /// Shuts every loader down, one after the other.
    public func shutdown() async {
        for loader in loaders.values {
            await loader.shutdown()
        }
    }
}
