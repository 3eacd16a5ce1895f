extension ImageCache {
    /// A cache with defaults for all: memory, and a disk cache in the user's cache folder.
    ///
    /// The disk cache is the namespace `default` below `$XDG_CACHE_HOME/calotype` or `~/.cache/calotype`, and
    /// follows the limits written there. Where there is no such folder, as for a service without `HOME`,
    /// there is no disk level, ``stores`` is empty, and ``sharedStoreFailure`` says why. A program that wants
    /// anything else makes a cache of its own; this one is never replaced.
    public static var shared: ImageCache { standard.cache }

    /// Why ``shared`` keeps images in memory only; `nil` where it has its disk cache.
    public static var sharedStoreFailure: DiskCacheError? { standard.storeFailure }

    private static let standard = makeStandard { () throws(DiskCacheError) in try DiskCache() }

    /// A cache over the store that a closure opens, or without one where it cannot be opened.
    package static func makeStandard(
        _ open: () throws(DiskCacheError) -> any ByteStore
    ) -> (cache: ImageCache, storeFailure: DiskCacheError?) {
        do {
            return (ImageCache(disk: try open()), nil)
        } catch {
            // Only the configuration can be at fault here: no home folder. Memory serves all the same.
            return (ImageCache(), error)
        }
    }
}
