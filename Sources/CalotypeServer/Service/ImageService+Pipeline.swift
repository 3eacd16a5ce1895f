public import Calotype
import CalotypeLoading
import FoundationEssentials

/// Factories of the loader and the pipeline of a service.
extension ImageService {
    /// Returns a pipeline with limits on concurrent and queued work; above them it rejects images that are
    /// not cached.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the pipeline.
    ///   - maxWorkCount: The maximum number of images processed at once; loading needs no permit.
    ///   - maxWaitingCount: The maximum number of queued images.
    ///   - maxWorkByteCount: The maximum bytes of pixels in use at once, including the needs of decoders and
    ///     transforms; 256 MiB unless given. A larger image is processed alone.
    /// - Returns: The pipeline.
    public static func pipeline(
        _ configuration: ImagePipeline.Configuration,
        maxWorkCount: Int = 32,
        maxWaitingCount: Int = 256,
        maxWorkByteCount: Int = 256 << 20
    ) -> ImagePipeline {
        var configuration = configuration
        configuration.workGate = AdmissionGate(maxCount: maxWorkCount, maxWaitingCount: maxWaitingCount)
        configuration.maxWorkByteCount = maxWorkByteCount
        return ImagePipeline(configuration)
    }

    /// Returns a loader for what a service's policy permits: `http:` and `https:`, with each redirect checked
    /// like the first address, and files below its folder.
    ///
    /// - Parameters:
    ///   - service: The configuration with the sources and the folder.
    ///   - http: The settings of HTTP loads; without an address policy, only public addresses are allowed.
    ///   - retry: The retry policy.
    /// - Returns: The loader.
    /// - Throws: `FetchError` if the folder is not a `file:` URL.
    public static func loader(
        for service: Configuration,
        http: HTTPDataLoader.Configuration = .init(),
        retry: RetryPolicy = RetryPolicy()
    ) throws -> RoutingLoader {
        var http = http
        if http.addressPolicy == .any { http.addressPolicy = .publicOnly }
        return try unrestrictedLoader(for: service, http: http, retry: retry)
    }

    /// Returns the same loader, but also for private addresses, as the configuration permits.
    ///
    /// - Parameters:
    ///   - service: The configuration with the sources and the folder.
    ///   - http: The settings of HTTP loads.
    ///   - retry: The retry policy.
    /// - Returns: The loader.
    /// - Throws: `FetchError` if the folder is not a `file:` URL.
    public static func unrestrictedLoader(
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
        // A fallback is a `data:` URL; URLs of clients cannot name one.
        var loaders: [URLScheme: any DataLoader] = [.http: web, .https: web, .data: DataURLLoader()]
        if let root = service.localRoot { loaders[.file] = try FileDataLoader(root: root) }
        return RoutingLoader(loaders)
    }
}

extension ImagePipeline {
    /// Returns an encoded image within the time until a deadline.
    func data(
        for request: ImageRequest,
        until deadline: ContinuousClock.Instant
    ) async throws -> EncodedImage {
        var request = request
        request.timeout = max(.zero, deadline - .now)
        return try await data(for: request)
    }

    /// Returns what a closure makes of an original, whose bytes count in the budget of loads meanwhile.
    func withData<Value>(
        for request: ImageRequest,
        until deadline: ContinuousClock.Instant,
        _ body: (EncodedImage) async throws -> Value
    ) async throws -> Value {
        var request = request
        request.timeout = max(.zero, deadline - .now)
        return try await withData(for: request, body)
    }
}
