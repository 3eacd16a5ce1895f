internal import CalotypeCache
internal import CalotypeLoading

extension ImagePipeline {
    /// A pipeline with defaults for all: the shared `ImageCache`, and HTTP, files and `data:` as sources.
    ///
    /// Where there is no folder for a cache, as for a service without `HOME`, nothing is kept on disk:
    /// `ImageCache.sharedStoreFailure` says so.
    ///
    /// A program that wants anything else makes a pipeline of its own; this one is never replaced.
    public static let shared = ImagePipeline(
        Configuration(cache: .shared, loader: RoutingLoader.standard())
    )
}
