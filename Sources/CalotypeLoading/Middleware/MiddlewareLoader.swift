internal import CalotypeSupport

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
    /// A loader is not asked any more where the calling task has been cancelled, whether or not the
    /// middleware before it looks at that.
    ///
    /// - Throws: What a middleware or the loader throws; ``FetchError/Code/invalidRequest`` where a
    ///   middleware without a ``LoaderMiddleware/cacheIdentity(for:)`` changes credentials;
    ///   ``FetchError/Code/unacceptableStatus`` where a middleware has changed a status, or asked for any,
    ///   and what it gives is not of 200...299.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        let judge = StatusJudge(base, given: request)
        let chain: any DataLoader = middleware.reversed().reduce(judge) { next, middleware in
            Link(middleware, next)
        }
        let response = try await chain.response(for: request)
        try judge.check(response)
        return response
    }

    /// The identities of all middleware and of the loader.
    public func cacheIdentity(for request: FetchRequest) -> String {
        let isPlain = middleware.allSatisfy { $0.cacheIdentity(for: request).isEmpty }
        guard !isPlain || !base.cacheIdentity(for: request).isEmpty else { return "" }
        let identities =
            middleware.map { $0.cacheIdentity(for: request) } + [base.cacheIdentity(for: request)]
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
        try Task.checkCancellation()
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

/// The loader behind all middleware: remembers what it answered, to tell whether somebody has changed that.
private final class StatusJudge: DataLoader {
    private let base: any DataLoader
    private let acceptedStatuses: Set<Int>?
    /// The last status that the loader has answered with and found acceptable by itself.
    private let accepted = Guarded<Int?>(nil)

    init(_ base: any DataLoader, given request: FetchRequest) {
        self.base = base
        acceptedStatuses = request.acceptedStatuses
    }

    func response(for request: FetchRequest) async throws -> FetchResponse {
        try Task.checkCancellation()
        let response = try await base.response(for: request)
        let isItsOwn = request.acceptedStatuses == acceptedStatuses
        accepted.withLock { $0 = isItsOwn ? response.status : nil }
        return response
    }

    func check(_ response: FetchResponse) throws(FetchError) {
        let status = response.status
        guard accepted.withLock(\.self) != status, status != 304 else { return }
        guard !(acceptedStatuses ?? Set(200...299)).contains(status) else { return }
        throw FetchError(
            .unacceptableStatus,
            status: status,
            detail: "the status \(status), which a middleware has given or asked for"
        )
    }
}
