public import CalotypeCache
internal import CalotypeCodecs
public import CalotypeCore
public import CalotypeLoading
internal import CalotypeSupport
public import FoundationEssentials

/// Loads images through the caches: memory, then the stores, then the network or a file.
///
/// Equal requests at the same time share one download and one decode. Every call ends exactly once: with a
/// result, a ``LoadError``, or `CancellationError`. Every member can be called from any task.
public final class ImagePipeline: Sendable {
    /// The cache for images.
    public var cache: ImageCache { configuration.cache }

    let configuration: Configuration
    /// The stages of loads, with their permits and budgets.
    let stages: Stages
    let loads: SharedLoads
    private let shutdownTask = Guarded<Task<Void, any Error>?>(nil)

    /// Creates a pipeline; without a configuration its cache is `ImageCache.shared`.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        stages = Stages(configuration)
        loads = SharedLoads(stages)
    }

    /// The pipeline with default settings: the shared `ImageCache`; HTTP, files and `data:` as sources.
    ///
    /// Without a folder for the cache, as in a service without `HOME`, nothing is stored on disk;
    /// `ImageCache.sharedStoreFailure` has the error.
    ///
    /// For other settings create a pipeline; this one is never replaced.
    public static let shared = ImagePipeline()

    /// Creates a pipeline over a cache and a loader, with the defaults of ``Configuration`` for all other
    /// settings.
    ///
    /// - Parameters:
    ///   - cache: The cache for images.
    ///   - loader: The loader; HTTP of any address, files and `data:` unless given. If users of a service
    ///     name URLs, pass `RoutingLoader.publicWeb()`.
    public convenience init(cache: ImageCache, loader: any DataLoader = RoutingLoader.standard()) {
        self.init(Configuration(cache: cache, loader: loader))
    }

    /// Returns the image for a request.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    /// - Returns: The image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func image(for request: ImageRequest, priority: LivePriority? = nil) async throws -> Image {
        try await load(request, priority: priority, onJoin: nil).image
    }

    /// Loads an image and returns it with its source.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    /// - Returns: The image and its source.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ request: ImageRequest, priority: LivePriority? = nil) async throws -> LoadedImage {
        try await load(request, priority: priority, onJoin: nil)
    }

    /// Loads an image; `onJoin` receives the progress of the work that the call joins.
    func load(
        _ request: ImageRequest,
        priority: LivePriority?,
        onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        // A hit takes less time than the calls around it.
        let identity = stages.isUnobserved ? stages.settings.identityAtOnce(of: request) : nil
        if let identity, let hit = loads.residentImage(identity, for: request) { return hit }
        return try await stages.observed(request, source: \.source) { [loads] in
            guard configuration.interceptors.isEmpty else {
                return try await loads.intercepted(priority, onJoin).first { try await $0.load(request) }
            }
            guard let identity else {
                return try await loads.image(for: request, priority: priority, onJoin: onJoin)
            }
            return try await loads.missed(request, identity, until: nil, priority: priority, onJoin: onJoin)
        }
    }

    /// Returns the encoded bytes for a request.
    ///
    /// The bytes are in the request's encoding. Without an encoding they are the original's. If a target or
    /// transforms change the image, they are in the original's format, or in one that can hold the image.
    ///
    /// For an original only the header is read; bytes without an image header are an error and are not
    /// cached. Other images are decoded and encoded once, and stored. Both are cached in memory too, up to
    /// ``Configuration/encodedCostLimit``.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    /// - Returns: The bytes and their properties.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for request: ImageRequest, priority: LivePriority? = nil) async throws -> EncodedImage {
        try await data(for: request, priority: priority, budget: nil)
    }

    /// Returns what a closure makes of the encoded bytes for a request; those of an original count in the
    /// budget of loads until it returns.
    ///
    /// For work that may have to wait, such as a decode.
    ///
    /// - Throws: The errors of ``data(for:priority:)``, and those of the closure.
    package func withData<Value>(
        for request: ImageRequest,
        priority: LivePriority? = nil,
        _ body: (EncodedImage) async throws -> Value
    ) async throws -> Value {
        let budget = OriginalBudget()
        defer { budget.end() }
        return try await body(try await data(for: request, priority: priority, budget: budget))
    }

    private func data(
        for request: ImageRequest,
        priority: LivePriority?,
        budget: OriginalBudget?
    ) async throws -> EncodedImage {
        try await stages.observed(request, source: \.source) { [loads] in
            guard configuration.interceptors.isEmpty else {
                return try await loads.intercepted(priority, budget: budget)
                    .first { try await $0.data(for: request) }
            }
            return try await loads.encodedImage(for: request, priority: priority, budget: budget)
        }
    }

    /// Returns the image for a request if it is in memory and the request allows reading it there.
    ///
    /// Never waits or blocks. Returns `nil` for a local file, because only examining the file shows whether
    /// it has changed, and for every request if the pipeline has interceptors, which may wait.
    public func residentImage(for request: ImageRequest) -> Image? {
        guard configuration.interceptors.isEmpty, let identity = stages.settings.identityAtOnce(of: request),
            let image = stages.sources.residentImage(identity, for: request)
        else { return nil }
        return request.modified(image)
    }

    /// Returns the key of a request's decoded image in memory.
    ///
    /// - Throws: ``LoadError`` if the request is for a local file that cannot be examined.
    public func key(for request: ImageRequest) async throws -> ImageKey {
        try await stages.identity(of: request).key
    }

    /// Returns the key of a request's original bytes in the stores.
    ///
    /// - Throws: ``LoadError`` if the request is for a local file that cannot be examined.
    public func originalKey(for request: ImageRequest) async throws -> ImageKey {
        ImageKey(try await stages.identity(of: request).source)
    }

    /// Forgets permanent failures, including variants whose codec worker was lost, so that they are loaded
    /// again.
    public func forgetFailures() { stages.failures.removeAll() }

    /// Cancels unfinished loads, waits for pending writes, and closes the loader and the cache.
    ///
    /// Later loads fail with a ``LoadError`` of the code `closed`, except for images in memory. Repeated
    /// calls return when the first has finished. The wait ends after ``Configuration/shutdownGrace``, or when
    /// the calling task is cancelled; writes and stores that do not respond then continue in the background.
    ///
    /// - Throws: `DiskCacheError` if a store could not write pending data; ``LoadError`` of the stage `store`
    ///   if the wait ended before the writes, or before the loader and the stores were closed.
    public func shutdown() async throws {
        let task = shutdownTask.withLock { task in
            let shared = task ?? Task { try await loads.shutDown() }
            task = shared
            return shared
        }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// Short forms for requests that are only a URL.
extension ImagePipeline {
    /// Returns the image behind a URL, for a request with defaults; see ``image(for:priority:)``.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func image(for url: URL) async throws -> Image {
        try await image(for: ImageRequest(url: url))
    }

    /// Loads the image behind a URL and returns it with its source.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ url: URL) async throws -> LoadedImage {
        try await load(ImageRequest(url: url))
    }

    /// Returns the original's bytes behind a URL.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for url: URL) async throws -> EncodedImage {
        try await data(for: ImageRequest(url: url))
    }
}

/// Unavailable names, for which the compiler shows the right ones.
extension ImagePipeline {
    /// Unavailable: text may not be a valid URL.
    @available(*, unavailable, message: "the text may not be a valid URL; use 'try ImageRequest(text)'")
    @_disfavoredOverload
    public func image(for text: String) async throws -> Image { preconditionFailure("unavailable") }

    /// Unavailable: renamed to ``remove(_:)``.
    @available(*, unavailable, renamed: "remove(_:)")
    public func removeImage(for request: ImageRequest) async throws { preconditionFailure("unavailable") }
}
