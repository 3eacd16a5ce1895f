public import CalotypeCore
public import FoundationEssentials

extension ImageCache {
    /// Keeps an image: in memory at once, in the nearest writable store before it returns.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - data: Its encoded bytes; without them the image is encoded by the rule of
    ///     `CodecRegistry`.
    ///   - key: What it is found by.
    ///   - layers: Where it is kept; everywhere by default.
    ///   - options: Metadata and expiry of the entry in the store.
    /// - Throws: `EncodeError`, or ``DiskCacheError``; the image is then in memory all the
    ///   same.
    public func store(
        _ image: Image,
        data: Data? = nil,
        for key: ImageKey,
        in layers: Set<Layer> = [.memory, .disk],
        options: BlobOptions = BlobOptions()
    ) async throws {
        if layers.contains(.memory) {
            memory.insert(image, forKey: key, cost: image.cost)
        }
        guard layers.contains(.disk), !stores.isEmpty else { return }
        let bytes: Data
        if let data { bytes = data } else { bytes = try await encode(image) }
        try await store(bytes, for: key, options: options)
    }

    /// Keeps encoded bytes in the nearest writable store, or in the first store, which then says why it
    /// cannot.
    ///
    /// - Throws: ``DiskCacheError``.
    public func store(_ data: Data, for key: ImageKey, options: BlobOptions = BlobOptions()) async throws {
        let target = stores.first { $0.isWritable } ?? stores.first
        try await target?.store(data, forKey: key.rawValue, options: options)
    }

    /// Forgets an image in the layers named, by default in all.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the other layers have forgotten it all the same.
    public func remove(_ key: ImageKey, from layers: Set<Layer> = [.memory, .disk]) async throws {
        if layers.contains(.memory) {
            memory.removeValue(forKey: key)
        }
        guard layers.contains(.disk) else { return }
        try await forEachWritableStore { try await $0.removeBlob(forKey: key.rawValue) }
    }

    /// Forgets everything in the layers named, by default in all.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the other layers are empty all the same.
    public func removeAll(from layers: Set<Layer> = [.memory, .disk]) async throws {
        if layers.contains(.memory) {
            memory.removeAll()
        }
        guard layers.contains(.disk) else { return }
        try await forEachWritableStore { try await $0.removeAll() }
    }

    /// Forgets what has expired in the stores.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the others have been asked all the same.
    public func removeExpired() async throws {
        try await forEachWritableStore { try await $0.removeExpired() }
    }

    /// How much the stores keep, together.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails.
    public func storeUsage() async throws -> StoreUsage {
        var sum = StoreUsage()
        for store in stores {
            let usage = try await store.usage()
            sum.entryCount += usage.entryCount
            sum.byteCount += usage.byteCount
        }
        return sum
    }

    /// Empties memory, lets the stores write what is pending, and closes them.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the others are closed all the same.
    public func close() async throws {
        memory.removeAll()
        try await forEach(stores) { try await $0.close() }
    }

    private func forEachWritableStore(_ body: (any ByteStore) async throws -> Void) async throws {
        try await forEach(stores.filter(\.isWritable), body)
    }

    /// Calls `body` for each store, also after one has failed, and throws the first failure at the end.
    private func forEach(_ stores: [any ByteStore], _ body: (any ByteStore) async throws -> Void) async throws
    {
        var firstFailure: (any Error)?
        for store in stores {
            do {
                try await body(store)
            } catch {
                firstFailure = firstFailure ?? error
            }
        }
        if let firstFailure { throw firstFailure }
    }
}
