extension ImageCache {
    /// Prepares the cache for the program going to the background or being suspended; it stays usable.
    ///
    /// Waits for running stores, makes the byte stores write pending changes, and trims memory if requested.
    /// If the memory cache tracks evicted values weakly, images still in use are found again, so no visible
    /// image has to be decoded again.
    ///
    /// - Parameter maxMemoryCost: The bytes of images that may stay in memory; `nil`, the default, keeps all.
    /// - Throws: ``DiskCacheError`` if a store fails; the others are flushed all the same.
    public func prepareForSuspension(maxMemoryCost: Int? = nil) async throws {
        if let maxMemoryCost { memory.trim(toCost: maxMemoryCost) }
        try await turns.inTurn(.barrier) {
            try await forEach(stores) { try await $0.flush() }
        }
    }

    /// Empties memory, makes the stores write pending changes, and closes them.
    ///
    /// The cache owns the stores it was given: closing it also closes a store shared with another cache.
    ///
    /// - Throws: ``DiskCacheError`` if a store fails; the others are closed all the same.
    public func close() async throws {
        let change = changes.begin(.all)
        defer { changes.end(change) }
        memory.removeAll()
        try await turns.inTurn(.barrier) {
            try await forEach(stores) { try await $0.close() }
        }
    }
}
