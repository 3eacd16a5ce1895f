public import Calotype
import CalotypeLoading
import FoundationEssentials

/// What a service stands on: a loader that goes where it may, and a pipeline that makes so much at once.
extension ImageService {
    /// A pipeline that makes so many pictures at once, in so many bytes of pixels, and lets so many more
    /// wait; above that it refuses what is not kept.
    ///
    /// - Parameters:
    ///   - configuration: What it is made of.
    ///   - workCountMax: Images that are made at once; loading takes no place.
    ///   - waitingCountMax: Pictures that wait for their turn.
    ///   - workByteCountMax: The most bytes of pixels that are held for them at once, with what decoders and
    ///     transforms need beside them; 256 MiB unless given. A picture that takes more is made alone.
    /// - Returns: The pipeline.
    public static func pipeline(
        _ configuration: ImagePipeline.Configuration,
        workCountMax: Int = 32,
        waitingCountMax: Int = 256,
        workByteCountMax: Int = 256 << 20
    ) -> ImagePipeline {
        var configuration = configuration
        configuration.workGate = AdmissionGate(countMax: workCountMax, waitingCountMax: waitingCountMax)
        configuration.workByteCountMax = workByteCountMax
        return ImagePipeline(configuration)
    }

    /// A loader of what a service's policy allows: `http:` and `https:`, each redirect checked like the first
    /// address, and files below its folder.
    ///
    /// - Parameters:
    ///   - service: Whose sources and folder count.
    ///   - http: The limits of HTTP loads; addresses are public ones alone where it says nothing else.
    ///   - retry: When loads are tried again.
    /// - Returns: The loader.
    /// - Throws: `FetchError` where the folder is no `file:` URL.
    public static func loader(
        for service: Configuration,
        http: HTTPDataLoader.Configuration = .init(),
        retry: RetryPolicy = RetryPolicy()
    ) throws -> RoutingLoader {
        var http = http
        if http.addressPolicy == .any { http.addressPolicy = .publicOnly }
        return try loaderOfAnyAddress(for: service, http: http, retry: retry)
    }

    /// The same, for addresses of one's own network too, as the configuration has them.
    ///
    /// - Parameters:
    ///   - service: Whose sources and folder count.
    ///   - http: The limits of HTTP loads.
    ///   - retry: When loads are tried again.
    /// - Returns: The loader.
    /// - Throws: `FetchError` where the folder is no `file:` URL.
    public static func loaderOfAnyAddress(
        for service: Configuration,
        http: HTTPDataLoader.Configuration = .init(),
        retry: RetryPolicy = RetryPolicy()
    ) throws -> RoutingLoader {
        var http = http
        if http.accept == HTTPDataLoader.standardAccept { http.accept = HTTPDataLoader.publicWebAccept }
        let sources = service.sources
        let permitsRedirect = http.permitsRedirect
        http.permitsRedirect = { url in sources.permits(url) && permitsRedirect?(url) ?? true }
        let retrying = RetryingLoader(HTTPDataLoader(http), policy: retry)
        let web = MiddlewareLoader(retrying, [TracePropagation()])
        // `data:` is what a fallback is; no URL of a client can name one.
        var loaders: [URLScheme: any DataLoader] = [.http: web, .https: web, .data: InlineDataLoader()]
        if let root = service.localRoot { loaders[.file] = try FileDataLoader(root: root) }
        return RoutingLoader(loaders)
    }
}
