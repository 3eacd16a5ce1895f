import CalotypeSupport

extension DiskCache {
    /// Takes the entries of another cache directory in, and removes it; entries that are here already win.
    ///
    /// A source that is not there, or is this cache's own directory, is nothing to do. Where this cache has
    /// no directory yet the other one is renamed, with its settings; a file that stands in the place is
    /// replaced.
    ///
    /// - Parameters:
    ///   - path: The namespace's folder of the other cache, the one that holds `v1`; a relative one is taken
    ///     from the current folder.
    ///   - progress: Told now and then how far it is, at most 256 times, on a thread of the cache's own; not
    ///     at all where one rename is enough.
    /// - Returns: What was taken in.
    /// - Throws: ``DiskCacheError``, also where other users can write to the source; what had been moved
    ///   until then stays, and the rest is where it was.
    @discardableResult
    public func move(
        from path: String,
        progress: @escaping @Sendable (DiskProgress) -> Void = { _ in }
    ) async throws(DiskCacheError) -> StoreUsage {
        var path = DirectoryLayout.absolutePath(path) ?? path
        while path.hasSuffix("/") && path.utf8.count > 1 { path.removeLast() }
        guard let root = path.parentFolder, let namespace = path.split(separator: "/").last else {
            throw DiskCacheError(
                code: .invalidConfiguration,
                path: path,
                detail: "\(path) is no cache folder; name the one that holds v1"
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
        // Also after a failure, some may have been moved.
        defer { count() }
        do {
            // Whoever can write to the source could plant entries here.
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
