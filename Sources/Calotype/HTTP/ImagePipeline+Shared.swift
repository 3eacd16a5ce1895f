internal import CalotypeCache
internal import CalotypeLoading

extension ImagePipeline {
    /// A pipeline with defaults for all: memory, a disk cache in the user's cache folder, HTTP, files and
    /// `data:`.
    ///
    /// The disk cache is the namespace `default` below `$XDG_CACHE_HOME/calotype` or `~/.cache/calotype`, and
    /// follows the limits written there. Where there is no such folder, there is no disk level. A program
    /// that wants anything else makes a pipeline of its own; this one is never replaced.
    public static let shared = ImagePipeline(
        Configuration(cache: ImageCache(stores: defaultStores()), loader: RoutingLoader.standard())
    )

    private static func defaultStores() -> [any ByteStore] {
        do {
            return [try DiskCache()]
        } catch {
            // Only the configuration can be at fault here: no home folder. Memory serves all the same.
            return []
        }
    }
}
