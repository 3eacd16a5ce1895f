extension ImageCache {
    /// Brings the cache in order before the program goes to the background or is suspended; it can be used as
    /// before.
    ///
    /// Waits for what is being stored, lets the stores write what is pending, and gives memory back where
    /// that is asked for. Images that somebody holds are still found where the memory cache keeps evicted
    /// values weakly, so nothing that is shown has to be decoded again.
    ///
    /// - Parameter memoryCostMax: The bytes of images that may stay in memory; `nil`, the default, leaves
    ///   all.
    /// - Throws: ``DiskCacheError`` where a store fails; the others have written all the same.
    public func prepareForSuspension(memoryCostMax: Int? = nil) async throws {
        if let memoryCostMax { memory.trim(toCost: memoryCostMax) }
        try await turns.inTurn(.barrier) {
            try await forEach(stores) { try await $0.flush() }
        }
    }

    /// Empties memory, lets the stores write what is pending, and closes them.
    ///
    /// The stores that the cache was given are its own to close: whoever shares one with another cache closes
    /// it for both.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the others are closed all the same.
    public func close() async throws {
        let change = changes.begin(.all)
        defer { changes.end(change) }
        memory.removeAll()
        try await turns.inTurn(.barrier) {
            try await forEach(stores) { try await $0.close() }
        }
    }
}
