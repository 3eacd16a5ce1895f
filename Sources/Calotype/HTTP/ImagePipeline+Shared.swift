public import CalotypeCache
public import CalotypeLoading

extension ImagePipeline {
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
}
