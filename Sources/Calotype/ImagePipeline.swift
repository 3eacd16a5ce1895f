public import CalotypeCache
internal import CalotypeCodecs
public import CalotypeCore
public import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Loads images through the caches: memory, then the stores, then the network or a file.
///
/// Equal requests at the same time share one download and one decode. Every call ends exactly once: with a
/// result, a ``LoadError``, or `CancellationError`. Every member can be called from any task.
public final class ImagePipeline: Sendable {
    /// The cache for images.
    public var cache: ImageCache { configuration.cache }

    /// The codecs and the threads that run them.
    var codecPool: CodecPool { cache.codecPool }

    let configuration: Configuration
    let originals = SharedWork<OriginalKey, Original, Transfer> { $0.noteHolders($1) }
    let variants = SharedWork<VariantKey, LoadedImage, VariantStatus>()
    let encodedVariants = SharedWork<VariantKey, EncodedVariant, VariantStatus>()
    /// Encoded images returned by ``data(for:priority:)``.
    let encodedMemory: MemoryCache<ImageKey, EncodedBox>
    /// The known state of originals of requests that respect HTTP, by source.
    let validations = MemoryCache<ImageKey, Validation>(costLimit: 32 << 20)
    /// The sources that may have values in ``cache`` or ``encodedMemory``.
    let keptSources = Guarded(KeptSources())
    /// Permanent failures, by URL.
    let failures: Guarded<FailureMemory>
    /// Variants whose codec worker was lost.
    let variantFailures: Guarded<FailureMemory>
    /// Recent failures, by origin.
    let originFailures: Guarded<FailureMemory>
    /// The sizes in memory of each image.
    let largerImages = Guarded(LargerImages())
    /// Holds new loads back while they are paused.
    let pauseGate = PauseGate()
    /// The number of fetches in progress.
    let loadCount = Guarded(0)
    /// The number of decodes started.
    let decodeCount = Guarded(0)
    /// The permits and budgets of loads.
    let stages: Stages
    let fileReads = FileReads(pool: BlockingPool(width: 4))
    private let shutdownTask = Guarded<Task<Void, any Error>?>(nil)

    /// Creates a pipeline; without a configuration its cache is `ImageCache.shared`.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        encodedMemory = MemoryCache(
            costLimit: configuration.encodedCostLimit,
            expiry: configuration.cache.memoryExpiry
        )
        let failures = FailureMemory(
            duration: configuration.failureDuration,
            countMax: configuration.failureCountMax
        )
        self.failures = Guarded(failures)
        variantFailures = Guarded(failures)
        originFailures = Guarded(
            FailureMemory(duration: configuration.originFailureDuration, countMax: 1_000)
        )
        stages = Stages(configuration)
    }

    /// Returns the image for a request.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    /// - Returns: The image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func image(for request: ImageRequest, priority: LivePriority? = nil) async throws -> Image {
        try await load(request, priority: priority).image
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
        try await observed(request, source: \.source) {
            guard configuration.interceptors.isEmpty else {
                return try await intercepted(request, priority, onJoin)
            }
            return try await found(request, priority, onJoin)
        }
    }

    /// Returns the image from memory, or loads it.
    func found(
        _ request: ImageRequest,
        _ priority: LivePriority?,
        _ onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        let known = identityAtOnce(of: request)
        let identity = if let known { known } else { try await identity(of: request) }
        if let image = residentImage(identity, for: request) {
            return request.modified(LoadedImage(image: image, source: .memory))
        }
        return try await missed(request, identity, priority, onJoin)
    }

    private func missed(
        _ request: ImageRequest,
        _ identity: RequestIdentity,
        _ priority: LivePriority?,
        _ onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        if let larger = largerImage(identity, for: request) { return request.modified(larger) }
        let priority = priority ?? LivePriority(request.priority)
        let loaded = try await variant(of: request, identity, priority: priority, onJoin: onJoin)
        return request.modified(loaded)
    }

    /// Returns the image for a request if it is in memory and the request allows reading it there.
    ///
    /// Never waits or blocks. Returns `nil` for a local file, because only examining the file shows whether
    /// it has changed, and for every request if the pipeline has interceptors, which may wait.
    public func residentImage(for request: ImageRequest) -> Image? {
        guard configuration.interceptors.isEmpty, let identity = identityAtOnce(of: request),
            let image = residentImage(identity, for: request)
        else { return nil }
        return request.modified(image)
    }

    func residentImage(_ identity: RequestIdentity, for request: ImageRequest) -> Image? {
        guard request.cachePolicy.variant.reads, isFresh(identity.source, for: request) else { return nil }
        return cache.memory.value(forKey: identity.key)
    }

    /// Returns the time limit of a call.
    func timeout(of request: ImageRequest) -> Duration { request.timeout ?? configuration.timeout }

    /// Returns the key of a request's decoded image in memory.
    ///
    /// - Throws: ``LoadError`` if the request is for a local file that cannot be examined.
    public func key(for request: ImageRequest) async throws -> ImageKey {
        try await identity(of: request).key
    }

    /// Returns the key of a request's original bytes in the stores.
    ///
    /// - Throws: ``LoadError`` if the request is for a local file that cannot be examined.
    public func originalKey(for request: ImageRequest) async throws -> ImageKey {
        ImageKey(try await identity(of: request).source)
    }

    /// Forgets permanent failures, including variants whose codec worker was lost, so that they are loaded
    /// again.
    public func forgetFailures() {
        failures.withLock { $0.removeAll() }
        variantFailures.withLock { $0.removeAll() }
    }

    /// Cancels unfinished loads, waits for pending writes, and closes the loader and the cache.
    ///
    /// Later loads fail with a ``LoadError`` of the code `closed`, except for images in memory. Repeated
    /// calls return when the first has finished. The wait for a store ends after
    /// ``Configuration/shutdownGrace``, or when the calling task is cancelled.
    ///
    /// - Throws: `DiskCacheError` if a store could not write pending data; ``LoadError`` of the stage `store`
    ///   if the wait ended before the writes.
    public func shutdown() async throws {
        let task = shutdownTask.withLock { task in
            let shared = task ?? Task { try await close() }
            task = shared
            return shared
        }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func close() async throws {
        variants.close()
        encodedVariants.close()
        originals.close()
        let end = ContinuousClock.now + configuration.shutdownGrace
        var isIdle = await variants.untilIdle(atMost: end - .now)
        isIdle = await encodedVariants.untilIdle(atMost: end - .now) && isIdle
        isIdle = await originals.untilIdle(atMost: end - .now) && isIdle
        await configuration.loader.shutdown()
        encodedMemory.removeAll()
        try await configuration.partialStore?.close()
        guard isIdle else {
            // Closing waits for the same writes, perhaps forever.
            Task { [cache] in try await cache.close() }
            throw LoadError(stage: .store, underlying: StoreBusyError())
        }
        try await cache.close()
    }
}
