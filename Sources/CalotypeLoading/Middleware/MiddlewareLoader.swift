/// A loader with middleware around it.
///
/// The first of the list sees requests first and answers last.
///
/// ```swift
/// let loader = MiddlewareLoader(
///     RoutingLoader.standard(),
///     [
///         RequestModifier { $0.headers.append(HeaderField("X-Client", "gallery")) },
///         BodyTransform { try decrypt($0) },
///     ]
/// )
/// ```
public struct MiddlewareLoader: DataLoader {
    private let base: any DataLoader
    private let middleware: [any LoaderMiddleware]

    /// Puts middleware around a loader.
    public init(_ base: any DataLoader, _ middleware: [any LoaderMiddleware]) {
        self.base = base
        self.middleware = middleware
    }

    /// Loads through the middleware.
    ///
    /// - Throws: What a middleware or the loader throws; ``FetchError/Code/invalidRequest`` where a
    ///   middleware without a ``LoaderMiddleware/cacheIdentity(for:)`` changes credentials.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        let chain = middleware.reversed().reduce(base) { next, middleware in Link(middleware, next) }
        return try await chain.response(for: request)
    }

    /// The identities of all middleware and of the loader.
    public func cacheIdentity(for request: FetchRequest) -> String {
        let identities =
            middleware.map { $0.cacheIdentity(for: request) } + [base.cacheIdentity(for: request)]
        guard identities.contains(where: { !$0.isEmpty }) else { return "" }
        // With their counts, so that no two lists read the same.
        return identities.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
    }

    /// That of the loader.
    public var activity: LoaderActivity { base.activity }

    /// Shuts the loader down.
    public func shutdown() async {
        await base.shutdown()
    }
}

/// A middleware with what comes behind it.
private struct Link: DataLoader {
    private let middleware: any LoaderMiddleware
    private let next: any DataLoader

    init(_ middleware: any LoaderMiddleware, _ next: any DataLoader) {
        self.middleware = middleware
        self.next = next
    }

    func response(for request: FetchRequest) async throws -> FetchResponse {
        let mayChangeCredentials = !middleware.cacheIdentity(for: request).isEmpty
        let behind = mayChangeCredentials ? next : CredentialCheck(next, given: request)
        return try await middleware.response(for: request, next: behind)
    }
}

/// Passes on what carries the credentials that it came with.
private struct CredentialCheck: DataLoader {
    private let next: any DataLoader
    private let given: FetchRequest

    private static let names = ["authorization", "cookie", "proxy-authorization"]

    init(_ next: any DataLoader, given: FetchRequest) {
        self.next = next
        self.given = given
    }

    func response(for request: FetchRequest) async throws -> FetchResponse {
        let changed = Self.names.first { name in
            request.headers.combinedValue(of: name) != given.headers.combinedValue(of: name)
        }
        if let changed {
            throw FetchError(
                .invalidRequest,
                detail:
                    "a middleware without a cacheIdentity changes “\(changed)”, which no cache key would show"
            )
        }
        return try await next.response(for: request)
    }
}
