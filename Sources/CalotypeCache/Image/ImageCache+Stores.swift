import CalotypeSupport

/// The encoded images: what the stores have, without decoding it.
extension ImageCache {
    /// The bytes that the nearest store has for a key, with their metadata and dates; `nil` for a miss.
    ///
    /// Nothing is decoded, and memory is not asked.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key.
    public func blob(for key: ImageKey) async throws -> Blob? {
        try await storedBlob(for: key)?.blob
    }

    /// What the nearest store knows of its entry for a key: metadata, dates, size; `nil` for a miss.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key.
    public func blobInfo(for key: ImageKey) async throws -> BlobInfo? {
        try await ask(about: key) { try await $0.blobInfo(forKey: key.rawValue) }?.answer
    }

    /// Whether a layer has the image; reads no payload and changes no order.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key.
    public func contains(_ key: ImageKey, in layer: Layer) async throws -> Bool {
        guard layer == .disk else { return memory.peek(key) != nil }
        return try await ask(about: key) { try await $0.contains(key.rawValue) ? true : nil } != nil
    }

    /// A blob, the store that had it, and the failures of the stores that were asked before.
    package struct StoredBlob: Sendable {
        package let blob: Blob
        package let store: any ByteStore
        package let failures: [any Error]
    }

    /// The bytes that the nearest store has for a key, and that store.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key.
    package func storedBlob(for key: ImageKey) async throws -> StoredBlob? {
        let found = try await ask(about: key) { try await $0.blob(forKey: key.rawValue) }
        return found.map { StoredBlob(blob: $0.answer, store: $0.store, failures: $0.failures) }
    }

    /// Asks one store after another until one has an answer; those that fail are passed over.
    ///
    /// What is being removed counts as gone, though the stores may not have come to it yet.
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
