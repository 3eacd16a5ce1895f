internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// From an original to pixels.
extension ImagePipeline {
    /// The original of a request, decoded as the request says.
    ///
    /// One that a store had and that is no image is removed there and loaded anew.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - source: Where from.
    ///   - priority: How urgent it is.
    ///   - status: What is told how it gets on.
    ///   - residentKey: Where memory may have the image; it is used once the original is known to be the
    ///     same.
    ///   - clock: What is told how long the steps take.
    /// - Returns: The image, with the room that it takes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func decodedOriginal(
        of request: ImageRequest,
        source: String,
        priority: LivePriority,
        status: VariantStatus,
        residentKey: ImageKey?,
        clock: StageClock = StageClock()
    ) async throws -> (LoadedImage, Cacheability) {
        try request.validateTransforms()
        let recipe = DecodeRecipe(request)
        var original = try await original(
            for: request,
            source: source,
            decodedAs: recipe,
            priority: priority
        ) { transfer in
            status.follow(transfer, makePreviews: self.previewMaking(request))
        }
        if let own = original.clock { clock.add(own) }
        // A place that is held must not wait for another.
        if original.decoded?.recipe != recipe { original.releaseDecoded() }
        do {
            defer { original.release() }
            // Images made from older bytes have been evicted already.
            let isConfirmed = original.cacheability.contentHash != nil
            let resident = isConfirmed ? residentKey.flatMap { cache.memory.value(forKey: $0) } : nil
            let (image, making) =
                if let resident { (resident, Making?.none) } else {
                    try await makeImage(of: &original, request, priority, clock)
                }
            if resident != nil { original.releaseDecoded() }
            let storeFailure = original.storeFailure
            var loaded = LoadedImage(image: image, source: original.source, storeFailure: storeFailure)
            loaded.making = making
            (loaded.url, loaded.isStale) = (original.url, original.isStale)
            loaded.transactions = original.transactions
            return (loaded, original.cacheability)
        } catch let error as LoadError where original.source == .disk && error.fault == .input {
            await removeDamaged(ImageKey(source), of: request)
            guard request.cachePolicy.allowsLoading else { throw error }
            return try await decodedOriginal(
                of: request.withoutStoredOriginal,
                source: source,
                priority: priority,
                status: status,
                residentKey: nil,
                clock: clock
            )
        }
    }

    private func makeImage(
        of original: inout Original,
        _ request: ImageRequest,
        _ priority: LivePriority,
        _ clock: StageClock
    ) async throws -> (Image, Making?) {
        let recipe = DecodeRecipe(request)
        if let failure = original.decodeFailure, failure.recipe == recipe { throw failure.error }
        let decoded =
            if let decoded = original.decoded { decoded } else {
                try await decode(original.data, recipe, request, priority, clock)
            }
        original.release()
        do {
            return (try await transform(decoded, request, priority, clock), decoded.making)
        } catch {
            decoded.making?.end()
            throw error
        }
    }

    /// What makes previews of a transfer for a request.
    func previewMaking(_ request: ImageRequest) -> VariantStatus.PreviewMaking {
        { transfer, status in await self.makePreviews(of: transfer, for: request, status) }
    }
}
