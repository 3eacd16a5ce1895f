internal import CalotypeCache
internal import CalotypeSupport

extension ImagePipeline {
    /// Forgets everything: what memory and the stores have, what is known of origins, and which URLs failed.
    ///
    /// What is being loaded still reaches those that wait for it, and is kept nowhere.
    ///
    /// - Throws: ``LoadError`` where a store fails; the other levels are empty all the same.
    public func removeAll() async throws {
        encodedMemory.removeAll()
        validations.removeAll()
        forgetFailures()
        // Again, for what a load has put there before it could hear of the removal.
        defer { encodedMemory.removeAll() }
        do {
            try await cache.removeAll()
            try await configuration.partialStore?.removeAll()
        } catch {
            throw LoadError(stage: .store, underlying: error)
        }
    }

    /// Forgets what memory has, decoded images and encoded bytes; the stores keep theirs.
    public func removeAllFromMemory() {
        encodedMemory.removeAll()
        cache.removeAllFromMemory()
    }

    /// Forgets everything that is kept of a request's source: the original and all variants, in memory and in
    /// the stores.
    ///
    /// What is being loaded still reaches those that wait for it, and is kept nowhere. What was loaded with
    /// other credentials is another source. In a disk cache every entry's key is read:
    /// some 10 µs for each entry.
    ///
    /// - Parameter request: A request for the source; its size and its encoding do not matter.
    /// - Throws: ``LoadError`` where the request is for a local file that cannot be examined, or a store
    ///   fails.
    public func remove(_ request: ImageRequest) async throws {
        let source = try await identity(of: request).source
        try await removeAll { $0.isOf(source) }
    }

    /// Forgets everything whose key a closure picks: originals and variants, in memory and in the stores.
    ///
    /// What is being loaded still reaches those that wait for it, and is kept nowhere. A whole folder of an
    /// origin goes by `ImageKey.sourceAddress`:
    /// `removeAll { $0.sourceAddress.hasPrefix("https://example.org/avatars/") }`. In a disk cache every
    /// entry's key is read: some 10 µs for each entry.
    ///
    /// - Parameter isRemoved: Whether what is kept under a key is to go; called on any thread.
    /// - Throws: ``LoadError`` where a store fails; the other levels have forgotten it all the same.
    public func removeAll(where isRemoved: @escaping @Sendable (ImageKey) -> Bool) async throws {
        try await removeAll(where: isRemoved) { _ in }
    }

    /// The same, and tells of each key that is found; more than once where several levels have it.
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
        // Again, for what a load has put there before it could hear of the removal.
        defer { encodedMemory.removeAll(where: isRemoved) }
        do {
            try await cache.removeAll(where: isRemoved, onFind: onFind)
            try await configuration.partialStore?.removeBlobs { isRemoved(ImageKey($0)) }
        } catch {
            throw LoadError(stage: .store, underlying: error)
        }
    }

    /// Removes what was made of other bytes of a source than those it has now.
    func removeVariantsInMemory(of source: String) {
        // Whatever somebody else has put there by the key of the original.
        cache.removeFromMemory(ImageKey(source))
        guard keptSources.withLock({ $0.mayContain(source) }) else { return }
        cache.removeAllFromMemory { $0.isOf(source) }
        encodedMemory.removeAll { $0.isOf(source) }
    }
}

extension ImageKey {
    /// Whether it is the key of a source's original or of one of its variants.
    package func isOf(_ source: String) -> Bool {
        let (key, source) = (rawValue.utf8, source.utf8)
        guard key.starts(with: source) else { return false }
        let rest = key.dropFirst(source.count)
        if rest.isEmpty { return true }
        if source.contains(UInt8(ascii: "#")) { return rest.first == UInt8(ascii: ",") }
        return rest.first == UInt8(ascii: "#") && !rest.starts(with: "#headers=".utf8)
    }
}
