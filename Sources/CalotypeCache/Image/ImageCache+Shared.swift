extension ImageCache {
    /// The default cache: memory, and a disk cache in the user's cache folder.
    ///
    /// The disk cache is the namespace `default` below `$XDG_CACHE_HOME/calotype` or `~/.cache/calotype`,
    /// with the limits stored there. If neither folder is known, as for a service without `HOME`, the cache
    /// has no disk level: ``stores`` is empty, and ``sharedStoreFailure`` has the reason. This cache is never
    /// replaced; for other settings, create a cache.
    public static var shared: ImageCache { standard.cache }

    /// The reason why ``shared`` has no disk cache; `nil` if it has one.
    public static var sharedStoreFailure: DiskCacheError? { standard.storeFailure }

    private static let standard = makeStandard { () throws(DiskCacheError) in try DiskCache() }

    /// Creates a cache over the store that a closure opens, or without a store if opening fails.
    package static func makeStandard(
        _ open: () throws(DiskCacheError) -> any ByteStore
    ) -> (cache: ImageCache, storeFailure: DiskCacheError?) {
        do {
            return (ImageCache(disk: try open()), nil)
        } catch {
            // Only an invalid configuration throws here: no home folder. Memory works all the same.
            return (ImageCache(), error)
        }
    }
}
