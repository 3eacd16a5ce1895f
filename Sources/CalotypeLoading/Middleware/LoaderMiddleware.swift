/// Stands between the cache and a loader: changes requests, looks at answers, changes bodies.
///
/// One shape for all of it: take the request, ask `next` for the answer (not at all, once, or again), give an
/// answer back. ``RequestModifier``, ``ResponseModifier`` and ``BodyTransform`` make the common ones from a
/// closure; a ``MiddlewareLoader`` puts them around a loader.
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
/// Middleware works behind the cache: what is stored, and what requests share, goes by the request *before*
/// it. Whatever depends on more than the URL and the header fields of the request belongs into the request,
/// or into ``cacheIdentity(for:)``.
public protocol LoaderMiddleware: Sendable {
    /// Loads, with the help of the loader behind.
    ///
    /// Errors of `next` are best passed on as they are; `CancellationError` always.
    ///
    /// - Parameters:
    ///   - request: What is wanted.
    ///   - next: The next middleware, or the loader.
    /// - Returns: The answer.
    /// - Throws: ``FetchError``, or `CancellationError`.
    func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse

    /// What answers depend on that is not in the request: whose credentials the middleware adds, say.
    ///
    /// Requests of different identities share nothing: no download, no entry of a cache, in this process or
    /// in a later one. A user's name does, or an account's; a token that changes every hour would make the
    /// cache useless. Empty unless implemented; then ``MiddlewareLoader`` refuses changed credentials.
    ///
    /// It is called often and from any thread, and must answer at once.
    func cacheIdentity(for request: FetchRequest) -> String
}

extension LoaderMiddleware {
    /// Empty: answers depend on the request alone.
    public func cacheIdentity(for request: FetchRequest) -> String { "" }
}
