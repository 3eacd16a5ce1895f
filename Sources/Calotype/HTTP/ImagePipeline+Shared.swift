public import CalotypeCache
public import CalotypeLoading

extension ImagePipeline {
    /// A pipeline with defaults for all: the shared `ImageCache`, and HTTP, files and `data:` as sources.
    ///
    /// Where there is no folder for a cache, as for a service without `HOME`, nothing is kept on disk:
    /// `ImageCache.sharedStoreFailure` says so.
    ///
    /// A program that wants anything else makes a pipeline of its own; this one is never replaced.
    public static let shared = ImagePipeline()

    /// Creates a pipeline over a cache and a loader, with the defaults of ``Configuration`` for all else.
    ///
    /// - Parameters:
    ///   - cache: Where images are kept.
    ///   - loader: What gets the bytes behind a URL; HTTP of any address, files and `data:` unless given. A
    ///     service whose users name URLs gives `RoutingLoader.publicWeb()`.
    public convenience init(cache: ImageCache, loader: any DataLoader = RoutingLoader.standard()) {
        self.init(Configuration(cache: cache, loader: loader))
    }
}
