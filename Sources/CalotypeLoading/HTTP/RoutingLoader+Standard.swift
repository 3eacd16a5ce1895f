extension RoutingLoader {
    /// A router for `http:`, `https:`, `file:` and `data:` URLs, and for plain paths.
    public static func standard(_ configuration: HTTPDataLoader.Configuration = .init()) -> RoutingLoader {
        let http = HTTPDataLoader(configuration)
        return RoutingLoader([.http: http, .https: http, .file: FileDataLoader(), .data: InlineDataLoader()])
    }
}
