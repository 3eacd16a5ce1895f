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
    /// What a pipeline is made of.
    public struct Configuration: Sendable {
        /// Where images are kept.
        public var cache: ImageCache

        /// What gets the bytes behind a URL.
        public var loader: any DataLoader

        /// What is told about each step; several see the same.
        public var observers: [any PipelineObserver]

        /// The part of a URL that says where the bytes come from; the whole URL unless set.
        ///
        /// A filter that strips signatures from URLs makes requests with different signatures share an entry.
        public var sourceIdentity: @Sendable (URL) -> String

        /// Creates a configuration; each default is stated at its property.
        ///
        /// - Parameters:
        ///   - cache: Where images are kept.
        ///   - loader: What gets the bytes behind a URL.
        ///   - observers: What is told about each step.
        ///   - sourceIdentity: The part of a URL that says where the bytes come from.
        public init(
            cache: ImageCache,
            loader: any DataLoader,
            observers: [any PipelineObserver] = [],
            sourceIdentity: @escaping @Sendable (URL) -> String = { $0.absoluteString }
        ) {
            self.cache = cache
            self.loader = loader
            self.observers = observers
            self.sourceIdentity = sourceIdentity
        }
    }

    /// Where images are kept.
    public var cache: ImageCache { configuration.cache }

    let configuration: Configuration
    let originals = SharedWork<OriginalKey, Original>()
    let variants = SharedWork<VariantKey, LoadedImage>()
    let filePool = BlockingPool(width: 4)

    /// Creates a pipeline.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// The image for a request.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func image(for request: ImageRequest) async throws -> Image {
        try await load(request).image
    }

    /// The image for a request, with where it came from.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ request: ImageRequest) async throws -> LoadedImage {
        let source = try await sourceIdentity(of: request)
        let key = ImageKey(source: source, variant: request.variantIdentity)
        if request.cachePolicy.variant.reads, let image = cache.memory[key] {
            return LoadedImage(image: image, source: .memory)
        }
        let variantKey = VariantKey(key: key, request: request)
        return try await variants.value(for: variantKey) { _ in
            try await self.variant(key, of: request, source: source)
        }
    }

    /// The image for a request, if it is in memory and the request allows asking there.
    ///
    /// Neither waits nor blocks. For a local file it gives `nil`: whether the file has changed is not known
    /// without examining it.
    public func residentImage(for request: ImageRequest) -> Image? {
        guard request.cachePolicy.variant.reads, request.url.scheme?.lowercased() != "file" else {
            return nil
        }
        let source = request.sourceIdentity(filteredBy: configuration.sourceIdentity)
        return cache.memory[ImageKey(source: source, variant: request.variantIdentity)]
    }

    /// The key under which the decoded image of a request is kept in memory.
    ///
    /// - Throws: ``LoadError`` where the request is for a local file that cannot be examined.
    public func key(for request: ImageRequest) async throws -> ImageKey {
        ImageKey(source: try await sourceIdentity(of: request), variant: request.variantIdentity)
    }

    /// The key under which the original bytes of a request are kept in the stores.
    ///
    /// - Throws: ``LoadError`` where the request is for a local file that cannot be examined.
    public func originalKey(for request: ImageRequest) async throws -> ImageKey {
        ImageKey(try await sourceIdentity(of: request))
    }

    /// Cancels what has not delivered, waits for what is being written, and closes the loader and the cache.
    ///
    /// - Throws: `DiskCacheError` where a store could not write what was pending.
    public func shutdown() async throws {
        variants.cancelAll()
        originals.cancelAll()
        await variants.untilIdle()
        await originals.untilIdle()
        await configuration.loader.shutdown()
        try await cache.close()
    }
}

/// An image with where it came from.
public struct LoadedImage: Sendable {
    /// Where an image came from.
    public enum Source: String, Hashable, Sendable {
        /// It was in memory.
        case memory
        /// Its bytes were in a store.
        case disk
        /// Its bytes came from another machine.
        case network
        /// Its bytes were in a local file.
        case file
        /// Its bytes were in the URL.
        case data
    }

    /// The image.
    public var image: Image

    /// Where it came from.
    public var source: Source

    /// Why the original could not be kept, where the request waited for that and it failed.
    public var storeFailure: LoadError?

    /// Creates a result.
    public init(image: Image, source: Source, storeFailure: LoadError? = nil) {
        self.image = image
        self.source = source
        self.storeFailure = storeFailure
    }
}
