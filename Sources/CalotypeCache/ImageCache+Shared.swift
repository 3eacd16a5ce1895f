extension ImageCache {
    /// A cache with defaults for all: memory, and a disk cache in the user's cache folder.
    ///
    /// The disk cache is the namespace `default` below `$XDG_CACHE_HOME/calotype` or `~/.cache/calotype`, and
    /// follows the limits written there. Where there is no such folder, there is no disk level. A program
    /// that wants anything else makes a cache of its own; this one is never replaced.
    public static let shared = ImageCache(stores: defaultStores())

    private static func defaultStores() -> [any ByteStore] {
        do {
            return [try DiskCache()]
        } catch {
            // Only the configuration can be at fault here: no home folder. Memory serves all the same.
            return []
        }
    }
}
