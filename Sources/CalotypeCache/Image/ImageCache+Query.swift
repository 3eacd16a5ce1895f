import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

extension ImageCache {
    /// Looks for an image in memory, then in each store; what a store has is decoded and kept in memory.
    ///
    /// Queries that ask the same of the same bytes at the same time share one decode, which ends where all of
    /// them are cancelled; one that is cancelled asks no further store and keeps nothing. A store that fails
    /// does not hide what another has, nor an image in memory, which then comes without the bytes that were
    /// asked for; ``ImageCacheStatistics/storeFailureCount`` counts it.
    ///
    /// - Throws: What a store throws, where one fails and no other has the key; `DecodeError` where the bytes
    ///   are no image, frames that were to be held cannot be decoded, or that takes too long;
    ///   `CancellationError`.
    public func image(for key: ImageKey, query: CacheQuery = CacheQuery()) async throws -> CacheAnswer {
        if let image = resident(key, for: query) {
            let data = query.wantsData ? await dataBesideHit(key) : nil
            return .memory(try await prepared(image, for: key, query), data: data)
        }
        // A key's own scale, as `cat@2x.png` has one, makes no difference to what memory has as the whole.
        if let scaled = query.scaled(as: key) { return try await image(for: key, query: scaled) }
        guard query.asksStores else { return .miss }
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
        case .resident(let image): .memory(image, data: query.wantsData ? data : nil)
        case .otherKind: .miss
        }
    }

    /// The image in memory, where the query asks for one, it is of the right kind, and it is the whole or
    /// what the query would have made of it.
    private func resident(_ key: ImageKey, for query: CacheQuery) -> Image? {
        guard query.asksMemory, let image = memory.value(forKey: key) else { return nil }
        guard let origin = partials.origin(of: image, for: key) else {
            return query.accepts(image.kind) ? image : nil
        }
        return query.accepts(origin.kind) && origin.decoding == query.decoding.form ? image : nil
    }

    /// What an image in memory answers with.
    private func prepared(_ image: Image, for key: ImageKey, _ query: CacheQuery) async throws -> Image {
        if query.decoding.frames == .first { return image.firstFrame }
        if query.preloadsFrames, let animation = image.animation, !animation.areAllFramesHeld {
            try await animation.preloadAllFrames()
            memory.updateCost(of: image, forKey: key, to: image.cost + key.entryByteCount)
        }
        return image
    }

    /// Bytes that were only asked for beside an image that is there: no failure of a store takes that away.
    private func dataBesideHit(_ key: ImageKey) async -> Data? {
        do { return try await storedBlob(for: key)?.blob.data } catch { return nil }
    }

    /// Makes the image of a query, unless memory has it by then, and keeps it.
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

    /// What a thread that may block finds when it is a query's turn.
    private enum Found: Sendable {
        case resident(Image)
        case otherKind
        /// The image, the kind of the bytes, and what memory had that the query has no use for.
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

    /// Keeps what was decoded, unless the key has been stored or removed since the query began.
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
        // A change that came in between would otherwise be undone.
        if !changes.isUndisturbed(pending) { memory.removeValue(image, forKey: origin.key) }
    }

    /// How many images in memory are known not to be the whole; for tests.
    package var partialImageCount: Int { partials.count }

    /// How many queries wait for the end of a decode; for tests.
    package var decodeWaiterCount: Int { decodes.waiterCount }
}

extension CacheQuery {
    /// The query with the scale that a key states; `nil` where it has a scale, or the key states none.
    fileprivate func scaled(as key: ImageKey) -> CacheQuery? {
        guard !decoding.isScaleSet, let scale = key.sourceAddress.statedScale else { return nil }
        var scaled = self
        scaled.decoding.scale = scale
        return scaled
    }
}
