extension RoutingLoader {
    /// Creates a router for `http:`, `https:`, `file:` and `data:` URLs.
    ///
    /// - Parameters:
    ///   - configuration: The limits of HTTP loads, and their request and response settings.
    ///   - retry: The policy for retrying HTTP loads and resuming bodies; ``RetryPolicy/none`` for no
    ///     retries.
    /// - Returns: The router; it owns its loaders.
    public static func standard(
        _ configuration: HTTPDataLoader.Configuration = .init(),
        retry: RetryPolicy = RetryPolicy()
    ) -> RoutingLoader {
        let http = RetryingLoader(HTTPDataLoader(configuration), policy: retry)
        return RoutingLoader([.http: http, .https: http, .file: FileDataLoader(), .data: DataURLLoader()])
    }

    /// Creates a router for `http:` and `https:` URLs of the public Internet only: for services whose clients
    /// provide the URLs.
    ///
    /// Files are excluded, and ``AddressPolicy/publicOnly`` applies unless the configuration has a policy, so
    /// that no URL leads into the service's own network.
    ///
    /// - Parameters:
    ///   - configuration: The limits of the loads, and their request and response settings.
    ///   - retry: The policy for retrying loads and resuming bodies.
    /// - Returns: The router; it owns its loader.
    public static func publicWeb(
        _ configuration: HTTPDataLoader.Configuration = .init(),
        retry: RetryPolicy = RetryPolicy()
    ) -> RoutingLoader {
        var configuration = configuration
        if configuration.addressPolicy == .any { configuration.addressPolicy = .publicOnly }
        if configuration.accept == HTTPDataLoader.standardAccept {
            configuration.accept = HTTPDataLoader.publicWebAccept
        }
        let http = RetryingLoader(HTTPDataLoader(configuration), policy: retry)
        return RoutingLoader([.http: http, .https: http])
    }
}
