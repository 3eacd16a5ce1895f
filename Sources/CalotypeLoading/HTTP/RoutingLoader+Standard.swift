extension RoutingLoader {
    /// A router for `http:`, `https:`, `file:` and `data:` URLs.
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

    /// A router for `http:` and `https:` URLs of the public Internet alone: for a service whose users name
    /// the URLs.
    ///
    /// No files, and ``AddressPolicy/publicOnly`` where the configuration has no policy of its own, so that
    /// no URL leads into the service's own network.
    ///
    /// - Parameters:
    ///   - configuration: The limits of the loads, and what they send and accept.
    ///   - retry: When loads are tried again, and broken bodies continued.
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
