/// Middleware between the cache and a loader: changes requests, inspects responses, transforms bodies.
///
/// A middleware receives the request, calls `next` any number of times, and returns a response.
/// ``RequestModifier``, ``ResponseModifier`` and ``BodyTransform`` create common ones from a closure; a
/// ``MiddlewareLoader`` wraps a loader in them.
///
/// ```swift
/// struct SignedURLs: LoaderMiddleware {
///     let signer: Signer
///
///     func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
///         var signed = request
///         signed.url = try await signer.sign(request.url)
///         return try await next.response(for: signed)
///     }
/// }
/// ```
///
/// Middleware works below the cache: stored entries and shared work are identified by the request *before*
/// it. If a response depends on more than the URL and the header fields of the request, put that into the
/// request, or into ``cacheIdentity(for:)``.
public protocol LoaderMiddleware: Sendable {
    /// Loads, using the next loader.
    ///
    /// Pass errors of `next` on unchanged if possible; `CancellationError` always.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: The next middleware, or the loader.
    /// - Returns: The response.
    /// - Throws: ``FetchError``, or `CancellationError`.
    func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse

    /// Returns what responses depend on beyond the request, such as the owner of credentials that the
    /// middleware adds.
    ///
    /// Requests of different identities share no data: no download and no cache entry, in this process or in
    /// a later one. A user or account name is suitable; a token that changes every hour would make the cache
    /// useless. Empty unless implemented; then ``MiddlewareLoader`` rejects changed credentials.
    ///
    /// It is called often and from any thread, and must return at once.
    func cacheIdentity(for request: FetchRequest) -> String
}

extension LoaderMiddleware {
    /// Returns an empty text: responses depend on the request alone.
    public func cacheIdentity(for request: FetchRequest) -> String { "" }
}
