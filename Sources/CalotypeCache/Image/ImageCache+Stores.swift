import CalotypeSupport

/// The encoded images in the stores, without decoding.
extension ImageCache {
    /// Returns the bytes of a key from the nearest store that has it, with their metadata and dates; `nil`
    /// for a miss.
    ///
    /// Does not decode, and does not look in memory.
    ///
    /// - Throws: The error of a store, if one fails and no other has the key.
    public func blob(for key: ImageKey) async throws -> Blob? {
        try await storedBlob(for: key)?.blob
    }

    /// Returns the metadata, dates and size of a key's entry in the nearest store that has it; `nil` for a
    /// miss.
    ///
    /// - Throws: The error of a store, if one fails and no other has the key.
    public func blobInfo(for key: ImageKey) async throws -> BlobInfo? {
        try await ask(about: key) { try await $0.blobInfo(forKey: key.rawValue) }?.answer
    }

    /// Returns whether a layer has the image; reads no payload and does not count as a use.
    ///
    /// - Throws: The error of a store, if one fails and no other has the key.
    public func contains(_ key: ImageKey, in layer: Layer) async throws -> Bool {
        guard layer == .disk else { return memory.peek(key) != nil }
        return try await ask(about: key) { try await $0.contains(key.rawValue) ? true : nil } != nil
    }

    /// A blob, its store, and the failures of the stores queried before.
    package struct StoredBlob: Sendable {
        package let blob: Blob
        package let store: any ByteStore
        package let failures: [any Error]
    }

    /// Returns the bytes of a key from the nearest store that has it, and that store.
    ///
    /// - Throws: The error of a store, if one fails and no other has the key.
    package func storedBlob(for key: ImageKey) async throws -> StoredBlob? {
        let found = try await ask(about: key) { try await $0.blob(forKey: key.rawValue) }
        return found.map { StoredBlob(blob: $0.answer, store: $0.store, failures: $0.failures) }
    }

    /// Queries one store after another until one has a result; failing stores are skipped.
    ///
    /// An entry that is being removed counts as absent, even if the stores have not processed the removal
    /// yet.
    private func ask<Answer>(
        about key: ImageKey,
        _ question: (any ByteStore) async throws -> Answer?
    ) async throws -> (answer: Answer, store: any ByteStore, failures: [any Error])? {
        let isBeingRemoved = changes.isBeingRemoved(key)
        var failures: [any Error] = []
        for store in stores where !(isBeingRemoved && store.isWritable) {
            try Task.checkCancellation()
            do {
                if let answer = try await question(store) { return (answer, store, failures) }
            } catch let error as CancellationError {
                throw error
            } catch {
                storeFailureCount.withLock { $0 += 1 }
                failures.append(error)
            }
        }
        if let failure = failures.first { throw failure }
        return nil
    }
}
