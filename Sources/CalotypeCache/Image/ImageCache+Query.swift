import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

extension ImageCache {
    /// Looks for an image in memory, then in each store; decodes an image found in a store and stores it in
    /// memory.
    ///
    /// Concurrent queries with the same options for the same bytes share one decode, which is cancelled once
    /// all of them are. A cancelled query queries no further store and caches no result. A failing store
    /// hides neither the result of another store nor an image in memory, which is then returned without the
    /// requested bytes; ``ImageCacheStatistics/storeFailureCount`` counts it.
    ///
    /// - Throws: The error of a store, if one fails and no other has the key; `DecodeError` if the bytes are
    ///   not an image, frames to be held cannot be decoded, or decoding takes too long; `CancellationError`.
    public func image(for key: ImageKey, query: CacheQuery = CacheQuery()) async throws -> CacheResult {
        if let image = resident(key, for: query) {
            let data = query.includesData ? await dataBesideHit(key) : nil
            return .memory(try await prepared(image, for: key, query), data: data)
        }
        // A key's own scale, as in `cat@2x.png`, does not matter for a whole image in memory.
        if let scaled = query.scaled(as: key) { return try await image(for: key, query: scaled) }
        guard query.readsStores else { return .miss }
        let pending = changes.beginQuery(of: key)
        defer { changes.end(pending) }
        guard let stored = try await storedBlob(for: key) else { return .miss }
        try Task.checkCancellation()
        let data = stored.blob.data
        let outcome = try await decodes.outcome(of: data, for: SharedDecodes.Subject(key, query)) {
            try await self.decode(data, for: query, pending)
        }
        return switch outcome {
        case .decoded(let image): .store(image, name: stored.store.name, data: data)
        case .resident(let image): .memory(image, data: query.includesData ? data : nil)
        case .otherKind: .miss
        }
    }

    /// Returns the image in memory, if the query allows it, its kind matches, and it is the whole image or
    /// what the query would decode.
    private func resident(_ key: ImageKey, for query: CacheQuery) -> Image? {
        guard query.readsMemory, let image = memory.value(forKey: key) else { return nil }
        guard let origin = partials.origin(of: image, for: key) else {
            return query.accepts(image.kind) ? image : nil
        }
        return query.accepts(origin.kind) && origin.decoding == query.decoding.form ? image : nil
    }

    private func prepared(_ image: Image, for key: ImageKey, _ query: CacheQuery) async throws -> Image {
        if query.decoding.frames == .first { return image.firstFrame }
        if query.preloadsFrames, let animation = image.animation, !animation.areAllFramesLoaded {
            try await animation.preloadAllFrames()
            memory.updateCost(of: image, forKey: key, to: image.cost + key.entryByteCount)
        }
        return image
    }

    /// Returns the bytes for a memory hit; a failing store must not hide the image.
    private func dataBesideHit(_ key: ImageKey) async -> Data? {
        do { return try await storedBlob(for: key)?.blob.data } catch { return nil }
    }

    /// Decodes the image of a query, unless memory has it by then, and stores it in memory.
    private func decode(
        _ data: Data,
        for query: CacheQuery,
        _ pending: PendingChanges.Query
    ) async throws -> SharedDecodes.Outcome {
        let find: @Sendable () throws -> Found = { try self.find(data, pending.key, query) }
        switch try await codecPool.decode(data, limits: query.decoding.limits, find) {
        case .resident(let image):
            return .resident(try await prepared(image, for: pending.key, query))
        case .otherKind:
            return .otherKind
        case .decoded(let image, let kind, let passedOver):
            if query.preloadsFrames { try await image.animation?.preloadAllFrames() }
            if query.fillsMemory {
                let decoding = query.decoding.form
                let origin = PartialImages.Origin(key: pending.key, decoding: decoding, kind: kind)
                keep(image, origin, pending, inPlaceOf: passedOver)
            }
            return .decoded(image)
        }
    }

    /// The result of a query's work on a thread that may block.
    private enum Found: Sendable {
        case resident(Image)
        case otherKind
        /// The image, the kind of the bytes, and the image in memory that the query skipped.
        case decoded(Image, CacheQuery.Kind, passedOver: Image?)
    }

    private func find(_ data: Data, _ key: ImageKey, _ query: CacheQuery) throws(DecodeError) -> Found {
        // Another query may have decoded it while this one waited.
        let present = memory.peek(key)
        if present != nil, let image = resident(key, for: query) { return .resident(image) }
        var kind: CacheQuery.Kind?
        if query.requiredKind != nil || query.decoding.frames == .first {
            let info = try codecs.info(of: data, limits: query.decoding.limits)
            kind = info.frameCount > 1 ? .animated : .still
        }
        if let kind, !query.accepts(kind) { return .otherKind }
        let image = try codecs.decode(data, options: query.decoding)
        return .decoded(image, kind ?? image.kind, passedOver: present)
    }

    /// Stores a decoded image in memory, unless the key has been stored or removed since the query began.
    private func keep(
        _ image: Image,
        _ origin: PartialImages.Origin,
        _ pending: PendingChanges.Query,
        inPlaceOf passedOver: Image?
    ) {
        guard changes.isUndisturbed(pending) else { return }
        if !origin.decoding.givesWhole { partials.note(image, origin) }
        let cost = image.cost + origin.key.entryByteCount
        memory.insert(image, forKey: origin.key, cost: cost, inPlaceOf: passedOver)
        // Otherwise, a change made in between would be undone.
        if !changes.isUndisturbed(pending) { memory.removeValue(image, forKey: origin.key) }
    }

    /// The number of images in memory known to be partial, for tests.
    package var partialImageCount: Int { partials.count }

    package var decodeWaiterCount: Int { decodes.waiterCount }
}

extension CacheQuery {
    /// Returns the query with the scale stated by the key; `nil` if the query has a scale or the key states
    /// none.
    fileprivate func scaled(as key: ImageKey) -> CacheQuery? {
        guard !decoding.isScaleSet, let scale = key.sourceAddress.statedScale else { return nil }
        var scaled = self
        scaled.decoding.scale = scale
        return scaled
    }
}
