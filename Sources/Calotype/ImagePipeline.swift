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
    /// Where images are kept.
    public var cache: ImageCache { configuration.cache }

    /// What decodes and encodes, and the threads for it.
    var codecPool: CodecPool { cache.codecPool }

    let configuration: Configuration
    let originals = SharedWork<OriginalKey, Original, Transfer> { $0.noteHolders($1) }
    let variants = SharedWork<VariantKey, LoadedImage, VariantStatus>()
    let encodedVariants = SharedWork<VariantKey, EncodedVariant, VariantStatus>()
    /// Encoded images that ``data(for:priority:)`` has given.
    let encodedMemory: MemoryCache<ImageKey, EncodedBox>
    /// What is known of the originals of requests that respect HTTP, by their source.
    let validations = MemoryCache<ImageKey, Validation>(costLimit: 32 << 20)
    /// Of which sources ``cache`` or ``encodedMemory`` may have something.
    let keptSources = Guarded(KeptSources())
    /// Which URLs have failed for good.
    let failures: Guarded<FailureMemory>
    /// Variants that have ended a codec worker.
    let variantFailures: Guarded<FailureMemory>
    /// Which origins have failed a moment ago.
    let originFailures: Guarded<FailureMemory>
    /// Which sizes of a picture are in memory.
    let largerImages = Guarded(LargerImages())
    /// Holds loads back that are to begin, where somebody has asked for that.
    let pauseGate = PauseGate()
    /// How many loads a loader has been asked for.
    let loadCount = Guarded(0)
    /// How many decodes have been begun.
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

    /// The image for a request.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - priority: How urgent it is, where that may change while it loads; the request's unless given.
    /// - Returns: The image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func image(for request: ImageRequest, priority: LivePriority? = nil) async throws -> Image {
        try await load(request, priority: priority).image
    }

    /// The image for a request, with where it came from.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - priority: How urgent it is, where that may change while it loads; the request's unless given.
    /// - Returns: The image and its source.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ request: ImageRequest, priority: LivePriority? = nil) async throws -> LoadedImage {
        try await load(request, priority: priority, onJoin: nil)
    }

    /// Loads an image, and hands over the progress of the work that it joins.
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

    /// What memory has, or what is loaded.
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

    /// The image for a request, if it is in memory and the request allows asking there.
    ///
    /// Neither waits nor blocks. For a local file it gives `nil`: whether the file has changed is not known
    /// without examining it; and for every request where the pipeline has interceptors, which may wait.
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

    /// How long a call waits for its result.
    func timeout(of request: ImageRequest) -> Duration { request.timeout ?? configuration.timeout }

    /// The key under which the decoded image of a request is kept in memory.
    ///
    /// - Throws: ``LoadError`` where the request is for a local file that cannot be examined.
    public func key(for request: ImageRequest) async throws -> ImageKey {
        try await identity(of: request).key
    }

    /// The key under which the original bytes of a request are kept in the stores.
    ///
    /// - Throws: ``LoadError`` where the request is for a local file that cannot be examined.
    public func originalKey(for request: ImageRequest) async throws -> ImageKey {
        ImageKey(try await identity(of: request).source)
    }

    /// Forgets which URLs have failed for good, and what has ended a codec worker, so that they are asked for
    /// again.
    public func forgetFailures() {
        failures.withLock { $0.removeAll() }
        variantFailures.withLock { $0.removeAll() }
    }

    /// Cancels what has not delivered, waits for what is being written, and closes the loader and the cache.
    ///
    /// Later loads fail with ``LoadError`` of the code `closed`, but for what memory still holds. May be
    /// called more than once: every call returns when the first has done its work. A store that has not
    /// written what it was given within ``Configuration/shutdownGrace``, or until the calling task is
    /// cancelled, is waited for no longer.
    ///
    /// - Throws: `DiskCacheError` where a store could not write what was pending; ``LoadError`` of the stage
    ///   `store` where it was not waited for.
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
            // It waits for the same writes, perhaps for ever.
            Task { [cache] in try await cache.close() }
            throw LoadError(stage: .store, underlying: StoreBusyError())
        }
        try await cache.close()
    }
}
