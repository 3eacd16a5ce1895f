public import CalotypeCache

extension ImagePipeline {
    /// Removes everything: entries in memory and in the stores, the known state of origins, and failures.
    ///
    /// Loads in progress still deliver to their callers, but their results are not cached.
    ///
    /// - Throws: ``LoadError`` if a store fails; the other levels are emptied all the same.
    public func removeAll() async throws {
        try await stages.removeAll()
    }

    /// Removes decoded images and encoded bytes from memory; the stores are not changed.
    public func removeAllFromMemory() {
        stages.sources.encodedMemory.removeAll()
        cache.removeAllFromMemory()
    }

    /// Removes all entries of a request's source: the original and all variants, in memory and in the stores.
    ///
    /// Loads in progress still deliver to their callers, but their results are not cached. Entries loaded
    /// with other credentials belong to another source. In a disk cache every key is read, at about 10 µs per
    /// entry.
    ///
    /// - Parameter request: A request for the source; its size and encoding are ignored.
    /// - Throws: ``LoadError`` if the request is for a local file that cannot be examined, or a store fails.
    public func remove(_ request: ImageRequest) async throws {
        let source = try await stages.identity(of: request).source
        try await stages.removeAll { $0.isOf(source) }
    }

    /// Removes all entries whose keys match a predicate: originals and variants, in memory and in the stores.
    ///
    /// Loads in progress still deliver to their callers, but their results are not cached. To remove a folder
    /// of an origin, match `ImageKey.sourceAddress`: `removeAll {
    /// $0.sourceAddress.hasPrefix("https://example.org/avatars/") }`. In a disk cache every key is read, at
    /// about 10 µs per entry.
    ///
    /// - Parameter isRemoved: Returns true for keys to remove; called on any thread.
    /// - Throws: ``LoadError`` if a store fails; the other levels are processed all the same.
    public func removeAll(where isRemoved: @escaping @Sendable (ImageKey) -> Bool) async throws {
        try await stages.removeAll(where: isRemoved)
    }

    /// Removes matching entries and reports each key found, repeatedly if several levels have it.
    package func removeAll(
        where isRemoved: @escaping @Sendable (ImageKey) -> Bool,
        onFind: @escaping @Sendable (ImageKey) -> Void
    ) async throws {
        try await stages.removeAll(where: isRemoved, onFind: onFind)
    }
}
