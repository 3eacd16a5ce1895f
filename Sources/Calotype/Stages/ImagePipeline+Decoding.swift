internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// Decoding of originals.
extension ImagePipeline {
    /// Returns the image of a request, decoded from its original and transformed.
    ///
    /// A stored original that is not an image is removed from the store and loaded again.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - source: The source of the original.
    ///   - priority: The priority.
    ///   - status: The status, which follows the transfer.
    ///   - residentKey: The key under which memory may have the image; used once the original is known to be
    ///     the same.
    ///   - clock: The clock that measures the steps.
    /// - Returns: The image, with its permits and budget.
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
        try checkPastDecodes(of: source, as: recipe, for: request)
        var original = try await original(
            for: request,
            source: source,
            decodedAs: recipe,
            priority: priority
        ) { transfer in
            status.follow(transfer, makePreviews: self.previewMaking(request))
        }
        if let own = original.clock { clock.add(own) }
        // A held permit must not wait for another one.
        if original.decoded?.recipe != recipe { original.releaseDecoded() }
        do {
            defer { original.release() }
            // Images made from older bytes have been evicted already.
            let isConfirmed = original.cacheability.contentHash != nil
            let resident = isConfirmed ? residentKey.flatMap { cache.memory.value(forKey: $0) } : nil
            let (image, making) =
                if let resident { (resident, Making?.none) } else {
                    try await makeImage(of: &original, source, request, priority, clock)
                }
            if resident != nil { original.releaseDecoded() }
            var loaded = LoadedImage(image: image, source: original.source)
            loaded.storing = original.storing
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
        _ source: String,
        _ request: ImageRequest,
        _ priority: LivePriority,
        _ clock: StageClock
    ) async throws -> (Image, Making?) {
        let recipe = DecodeRecipe(request)
        if let failure = original.decodeFailure, failure.recipe == recipe { throw failure.error }
        let decoded =
            if let decoded = original.decoded { decoded } else {
                try await rememberingDecode(of: source, as: recipe) {
                    try await decode(original.data, recipe, request, priority, clock)
                }
            }
        original.release()
        do {
            return (try await transform(decoded, request, priority, clock), decoded.making)
        } catch {
            decoded.making?.end()
            throw error
        }
    }

    private func rememberingDecode(
        of source: String,
        as recipe: DecodeRecipe,
        _ body: () async throws -> Original.Decoded
    ) async throws -> Original.Decoded {
        do {
            return try await body()
        } catch let error as LoadError where error.hasTimedOut {
            noteDecode(error, of: source, as: recipe)
            throw error
        }
    }

    /// Returns the closure that creates previews of a transfer for a request.
    func previewMaking(_ request: ImageRequest) -> VariantStatus.PreviewMaking {
        { transfer, status in await self.makePreviews(of: transfer, for: request, status) }
    }
}
