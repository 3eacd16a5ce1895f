internal import CalotypeCache
internal import CalotypeSupport

extension ImagePipeline {
    /// Removes everything: entries in memory and in the stores, the known state of origins, and failures.
    ///
    /// Loads in progress still deliver to their callers, but their results are not cached.
    ///
    /// - Throws: ``LoadError`` if a store fails; the other levels are emptied all the same.
    public func removeAll() async throws {
        encodedMemory.removeAll()
        validations.removeAll()
        forgetFailures()
        // Again, for values of loads that noticed the removal too late.
        defer { encodedMemory.removeAll() }
        do {
            try await cache.removeAll()
            try await configuration.partialStore?.removeAll()
        } catch {
            throw LoadError(stage: .store, underlying: error)
        }
    }

    /// Removes decoded images and encoded bytes from memory; the stores are not changed.
    public func removeAllFromMemory() {
        encodedMemory.removeAll()
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
        let source = try await identity(of: request).source
        try await removeAll { $0.isOf(source) }
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
        try await removeAll(where: isRemoved) { _ in }
    }

    /// Removes matching entries and reports each key found, repeatedly if several levels have it.
    package func removeAll(
        where isRemoved: @escaping @Sendable (ImageKey) -> Bool,
        onFind: @escaping @Sendable (ImageKey) -> Void
    ) async throws {
        encodedMemory.removeAll { key in
            guard isRemoved(key) else { return false }
            onFind(key)
            return true
        }
        validations.removeAll(where: isRemoved)
        failures.withLock { $0.removeAll(where: isRemoved) }
        variantFailures.withLock { $0.removeAll(where: isRemoved) }
        // Again, for values of loads that noticed the removal too late.
        defer { encodedMemory.removeAll(where: isRemoved) }
        do {
            try await cache.removeAll(where: isRemoved, onFind: onFind)
            try await configuration.partialStore?.removeBlobs { isRemoved(ImageKey($0)) }
        } catch {
            throw LoadError(stage: .store, underlying: error)
        }
    }

    /// Removes values made from older bytes of a source from memory.
    func removeVariantsInMemory(of source: String) {
        // An entry that the program itself may have stored under the original's key.
        cache.removeFromMemory(ImageKey(source))
        guard keptSources.withLock({ $0.mayContain(source) }) else { return }
        cache.removeAllFromMemory { $0.isOf(source) }
        encodedMemory.removeAll { $0.isOf(source) }
    }
}

extension ImageKey {
    /// True for the key of a source's original or of one of its variants.
    package func isOf(_ source: String) -> Bool {
        let (key, source) = (rawValue.utf8, source.utf8)
        guard key.starts(with: source) else { return false }
        let rest = key.dropFirst(source.count)
        if rest.isEmpty { return true }
        if source.contains(UInt8(ascii: "#")) { return rest.first == UInt8(ascii: ",") }
        return rest.first == UInt8(ascii: "#") && !rest.starts(with: "#headers=".utf8)
    }
}
