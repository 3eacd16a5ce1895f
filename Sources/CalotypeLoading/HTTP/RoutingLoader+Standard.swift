extension RoutingLoader {
    /// A router for `http:`, `https:`, `file:` and `data:` URLs, and for plain paths.
    ///
    /// - Parameters:
    ///   - configuration: The limits of HTTP loads, and what they send and accept.
    ///   - retry: When HTTP loads are tried again, and broken bodies continued; ``RetryPolicy/none`` for
    ///     never.
    /// - Returns: The router; it owns its loaders.
    public static func standard(
        _ configuration: HTTPDataLoader.Configuration = .init(),
        retry: RetryPolicy = RetryPolicy()
    ) -> RoutingLoader {
        let http = RetryingLoader(HTTPDataLoader(configuration), policy: retry)
        return RoutingLoader([.http: http, .https: http, .file: FileDataLoader(), .data: InlineDataLoader()])
    }
}
