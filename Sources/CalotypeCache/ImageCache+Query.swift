import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

extension ImageCache {
    /// Looks for an image in memory, then in each store; what a store has is decoded and kept in memory.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails, `DecodeError` where its bytes are no image, or
    ///   frames that were to be held cannot be decoded.
    public func image(for key: ImageKey, query: CacheQuery = CacheQuery()) async throws -> CacheAnswer {
        if let image = resident(key, for: query) {
            let data = query.wantsData ? try await blob(forKey: key.rawValue)?.blob.data : nil
            return .memory(try await prepared(image, for: key, query), data: data)
        }
        guard query.asksStores else { return .miss }
        let fill = fills.begin(key)
        defer { fills.end(fill) }
        guard let found = try await blob(forKey: key.rawValue) else { return .miss }
        let data = found.blob.data
        // Another query may have decoded it meanwhile.
        if memory.contains(key), let image = resident(key, for: query) {
            return .memory(try await prepared(image, for: key, query), data: query.wantsData ? data : nil)
        }
        let kind = try await kind(of: data, for: query)
        if let kind, !query.accepts(kind) { return .miss }
        let image = try await decode(data, options: query.decoding)
        if query.preloadsFrames { try await image.animation?.preloadAllFrames() }
        if query.fillsMemory {
            let origin = PartialImages.Origin(
                key: key,
                decoding: query.decoding.form,
                kind: kind ?? image.kind
            )
            insert(image, origin, fill)
        }
        return .store(image, name: found.store.name, data: data)
    }

    /// The image in memory, where the query asks for one, it is of the right kind, and it is the whole or
    /// what the query would have made of it.
    private func resident(_ key: ImageKey, for query: CacheQuery) -> Image? {
        guard query.asksMemory, let image = memory[key] else { return nil }
        guard let origin = partials.origin(of: image) else { return query.accepts(image.kind) ? image : nil }
        return query.accepts(origin.kind) && origin.decoding == query.decoding.form ? image : nil
    }

    /// What an image in memory answers with.
    private func prepared(_ image: Image, for key: ImageKey, _ query: CacheQuery) async throws -> Image {
        if query.decoding.frames == .first { return image.firstFrame }
        if query.preloadsFrames, let animation = image.animation, !animation.areAllFramesHeld {
            try await animation.preloadAllFrames()
            memory.updateCost(of: image, forKey: key, to: image.cost)
        }
        return image
    }

    /// Whether encoded bytes are of an animated image, by their header; `nil` where the query need not know.
    private func kind(of data: Data, for query: CacheQuery) async throws(DecodeError) -> CacheQuery.Kind? {
        guard query.requiredKind != nil || query.decoding.frames == .first else { return nil }
        return try await info(of: data, limits: query.decoding.limits).frameCount > 1 ? .animated : .still
    }

    /// Keeps what was decoded, unless the key has been stored or removed since the query began.
    private func insert(_ image: Image, _ origin: PartialImages.Origin, _ fill: PendingFills.Ticket) {
        guard fills.isValid(fill) else { return }
        if !origin.decoding.givesWhole { partials.note(image, origin, in: memory) }
        memory.insert(image, forKey: fill.key, cost: image.cost)
        // A change that came in between would otherwise be undone.
        if !fills.isValid(fill) { memory.removeValue(image, forKey: fill.key) }
    }

    /// How many images in memory are known not to be the whole; for tests.
    package var partialImageCount: Int { partials.count }

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
