public import CalotypeCodecs
public import CalotypeCore
public import FoundationEssentials

/// What a query asks of an image cache.
public struct CacheQuery: Hashable, Sendable {
    /// Whether a decoded image in memory answers; true unless set.
    public var asksMemory: Bool
    /// Whether the byte stores are asked; true unless set.
    public var asksStores: Bool
    /// Whether an image found in a store is kept in memory; true unless set.
    public var fillsMemory: Bool
    /// Whether the encoded bytes are wanted too, also on a memory hit where a store has them; false unless
    /// set.
    public var wantsData: Bool
    /// How an image from a store is decoded.
    public var decoding: DecodeOptions

    /// Creates a query; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - asksMemory: Whether a decoded image in memory answers.
    ///   - asksStores: Whether the byte stores are asked.
    ///   - fillsMemory: Whether an image found in a store is kept in memory.
    ///   - wantsData: Whether the encoded bytes are wanted too.
    ///   - decoding: How an image from a store is decoded.
    public init(
        asksMemory: Bool = true,
        asksStores: Bool = true,
        fillsMemory: Bool = true,
        wantsData: Bool = false,
        decoding: DecodeOptions = DecodeOptions()
    ) {
        self.asksMemory = asksMemory
        self.asksStores = asksStores
        self.fillsMemory = fillsMemory
        self.wantsData = wantsData
        self.decoding = decoding
    }
}

/// The answer of an image cache; a miss is not an error.
public enum CacheAnswer: Sendable {
    /// The image was in memory; the bytes are those of the nearest store that has them, where they were asked
    /// for.
    case memory(Image, data: Data?)
    /// The image was decoded from the bytes of the store with this name.
    case store(Image, name: String, data: Data)
    /// It is in none of the layers that were asked.
    case miss

    /// The image, or `nil` for a miss.
    public var image: Image? {
        switch self {
        case .memory(let image, _), .store(let image, _, _): image
        case .miss: nil
        }
    }
}

extension ImageCache {
    /// Looks for an image in memory, then in each store; what a store has is decoded and kept in memory.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails, `DecodeError` where its bytes are
    ///   no image.
    public func image(for key: ImageKey, query: CacheQuery = CacheQuery()) async throws -> CacheAnswer {
        if query.asksMemory, let image = memory[key] {
            let data = query.wantsData ? try await blob(forKey: key.rawValue)?.blob.data : nil
            return .memory(image, data: data)
        }
        guard query.asksStores, let found = try await blob(forKey: key.rawValue) else { return .miss }
        let image = try await decode(found.blob.data, options: query.decoding)
        if query.fillsMemory {
            memory.insert(image, forKey: key, cost: image.cost)
        }
        return .store(image, name: found.store.name, data: found.blob.data)
    }

    /// The bytes that the nearest store has for a key, and that store.
    package func blob(forKey key: String) async throws -> (blob: Blob, store: any ByteStore)? {
        for store in stores {
            if let blob = try await store.blob(forKey: key) { return (blob, store) }
        }
        return nil
    }

    /// Whether a layer has the image; reads no payload and changes no order.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails.
    public func contains(_ key: ImageKey, in layer: Layer) async throws -> Bool {
        guard layer == .disk else { return memory.contains(key) }
        for store in stores where try await store.contains(key.rawValue) { return true }
        return false
    }
}
