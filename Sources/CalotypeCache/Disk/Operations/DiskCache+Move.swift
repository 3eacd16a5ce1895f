import CalotypeSupport

extension DiskCache {
    /// Merges the entries of another cache directory and removes it; existing entries win.
    ///
    /// Does nothing if the source is missing or is this cache's own directory. If this cache has no directory
    /// yet, the other one is renamed, with its settings; a file in its place is replaced.
    ///
    /// - Parameters:
    ///   - path: The namespace's folder of the other cache, which contains `v1`; a relative path is resolved
    ///     against the current folder.
    ///   - progress: Receives the progress, at most 256 times, on one of the cache's own threads; not called
    ///     if one rename suffices.
    /// - Returns: The moved entries and bytes.
    /// - Throws: ``DiskCacheError``, also if other users can write to the source; entries moved until then
    ///   stay moved, and the rest is unchanged.
    @discardableResult
    public func move(
        from path: String,
        progress: @escaping @Sendable (DiskProgress) -> Void = { _ in }
    ) async throws(DiskCacheError) -> StoreUsage {
        var path = DirectoryLayout.absolutePath(path) ?? path
        while path.hasSuffix("/") && path.utf8.count > 1 { path.removeLast() }
        guard let root = path.parentFolder, let namespace = path.split(separator: "/").last else {
            throw DiskCacheError(
                .invalidConfiguration,
                path: path,
                detail: "\(path) is not a cache folder; pass the folder that contains v1"
            )
        }
        let source = DirectoryLayout(root: root, namespace: String(namespace))
        let moved = try await perform(.barrier) { cache throws(DiskCacheError) in
            try cache.takeIn(source, progress)
        }
        try await waitUntilSettled()
        return moved
    }

    private func takeIn(
        _ source: DirectoryLayout,
        _ progress: @escaping (DiskProgress) -> Void
    ) throws(DiskCacheError) -> StoreUsage {
        let move = DirectoryMove(
            fileSystem: fileSystem,
            source: source,
            target: layout,
            folder: folder,
            progress: progress
        )
        // Even after a failure, some entries may have been moved.
        defer { count() }
        do {
            // Other users who can write to the source could plant entries here.
            let trustsEverybody = configuration.trustsOtherUsers
            try DirectoryTrust(fileSystem: fileSystem, layout: source, trustsEverybody: trustsEverybody)
                .check()
            let outcome = try move.run()
            loadRules()
            state.withLock { $0.hasWritten = $0.hasWritten || outcome.moved.entryCount > 0 }
            return outcome.moved
        } catch {
            throw DiskCacheError(error, path: layout.base)
        }
    }
}
