internal import CalotypeSupport

/// A loader wrapped in middleware.
///
/// The first in the list receives requests first and responses last.
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

    /// Wraps a loader in middleware.
    public init(_ base: any DataLoader, _ middleware: [any LoaderMiddleware]) {
        self.base = base
        self.middleware = middleware
    }

    /// Loads through the middleware.
    ///
    /// The loader is not called if the calling task has been cancelled, even if the middleware ignores that.
    ///
    /// - Throws: The error of a middleware or the loader; ``FetchError/Code/invalidRequest`` if a middleware
    ///   without a ``LoaderMiddleware/cacheIdentity(for:)`` changes credentials;
    ///   ``FetchError/Code/unacceptableStatus`` if a middleware has changed a status, or requested to accept
    ///   any, and the result is not in 200...299.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        let judge = StatusCheck(base, given: request)
        let chain: any DataLoader = middleware.reversed().reduce(judge) { next, middleware in
            Link(middleware, next)
        }
        let response = try await chain.response(for: request)
        try judge.check(response)
        return response
    }

    /// Returns the identities of all middleware and of the loader.
    public func cacheIdentity(for request: FetchRequest) -> String {
        let isPlain = middleware.allSatisfy { $0.cacheIdentity(for: request).isEmpty }
        guard !isPlain || !base.cacheIdentity(for: request).isEmpty else { return "" }
        let identities =
            middleware.map { $0.cacheIdentity(for: request) } + [base.cacheIdentity(for: request)]
        // With their byte counts, so that different lists never have the same text.
        return identities.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
    }

    /// The activity of the loader.
    public var activity: LoaderActivity { base.activity }

    /// Shuts the loader down.
    public func shutdown() async {
        await base.shutdown()
    }
}

/// A middleware with the rest of the chain.
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

/// Rejects requests whose credentials have been changed.
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
                    "a middleware without a cacheIdentity changes “\(changed)”, unseen by cache keys"
            )
        }
        return try await next.response(for: request)
    }
}

// The innermost loader: records the status of its response, to detect changes by middleware.
private final class StatusCheck: DataLoader {
    private let base: any DataLoader
    private let acceptedStatuses: Set<Int>?
    /// The last status that the loader returned and accepted itself.
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
            detail: "a middleware returned or accepted the status \(status)"
        )
    }
}
