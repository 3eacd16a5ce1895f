/// Middleware that changes requests before they are sent.
///
/// ```swift
/// RequestModifier { $0.headers.append(HeaderField("X-Client", "gallery")) }
///
/// // Credentials need an identity: their owner.
/// RequestModifier(cacheIdentity: "account 17") { request in
///     request.headers.append(HeaderField("Authorization", try await tokens.current()))
/// }
/// ```
public struct RequestModifier: LoaderMiddleware {
    /// Changes a request.
    public typealias Change = @Sendable (inout FetchRequest) async throws -> Void

    private let identity: String
    private let change: Change

    /// Creates middleware from a closure.
    ///
    /// - Parameters:
    ///   - cacheIdentity: The identity, for responses that depend on more than the request; empty unless set.
    ///   - change: Changes a request, or throws; then no request is sent.
    public init(cacheIdentity: String = "", _ change: @escaping Change) {
        identity = cacheIdentity
        self.change = change
    }

    /// Changes the request and loads.
    ///
    /// - Throws: The error of the closure or the loader.
    public func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
        var changed = request
        try await change(&changed)
        return try await next.response(for: changed)
    }

    /// The identity it was created with.
    public func cacheIdentity(for request: FetchRequest) -> String { identity }
}
