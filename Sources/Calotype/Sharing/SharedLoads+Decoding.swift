internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// Decoding of originals.
extension SharedLoads {
    /// Returns the image of a request, decoded from its original and transformed.
    ///
    /// A stored original that is not an image is removed from the store and loaded again.
    ///
    /// - Parameters:
    ///   - context: The load, whose clock measures the steps.
    ///   - status: The status, which follows the transfer.
    ///   - residentKey: The key under which memory may have the image; used once the original is known to be
    ///     the same.
    /// - Returns: The image, with its permits and budget.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func decodedOriginal(
        for context: LoadContext,
        status: VariantStatus,
        residentKey: ImageKey?
    ) async throws -> MadeImage {
        let (request, source) = (context.request, context.source)
        try request.validateTransforms()
        let recipe = DecodeRecipe(request)
        try stages.failures.checkPastDecodes(of: source, as: recipe, for: request)
        var original = try await original(for: context, decodedAs: recipe) { [stages] transfer in
            status.follow(transfer, makePreviews: stages.previewMaking(request))
        }
        if let own = original.clock { context.clock.add(own) }
        // A held permit must not wait for another one.
        if original.decoded?.recipe != recipe { original.releaseDecoded() }
        do {
            defer { original.release() }
            // Images made from older bytes have been evicted already.
            let isConfirmed = original.cacheability.contentHash != nil
            let resident = isConfirmed ? residentKey.flatMap { stages.cache.memory.value(forKey: $0) } : nil
            let (image, making) =
                if let resident { (resident, Making?.none) } else {
                    try await makeImage(of: &original, for: context)
                }
            if resident != nil { original.releaseDecoded() }
            var loaded = LoadedImage(image: image, source: original.source)
            (loaded.url, loaded.isStale) = (original.url, original.isStale)
            loaded.transactions = original.transactions
            return MadeImage(
                loaded: loaded,
                cacheability: original.cacheability,
                making: making,
                storing: original.storing
            )
        } catch let error as LoadError where original.source == .disk && error.fault == .input {
            await stages.removeDamaged(ImageKey(source), of: request)
            guard request.cachePolicy.allowsLoading else { throw error }
            let again = context.replacing(request.withoutStoredOriginal)
            return try await decodedOriginal(for: again, status: status, residentKey: nil)
        }
    }

    private func makeImage(
        of original: inout Original,
        for context: LoadContext
    ) async throws -> (Image, Making?) {
        let recipe = DecodeRecipe(context.request)
        if let failure = original.decodeFailure, failure.recipe == recipe { throw failure.error }
        let decoded =
            if let decoded = original.decoded { decoded } else {
                try await rememberingDecode(of: context.source, as: recipe) {
                    try await stages.decode(original.data, as: recipe, for: context)
                }
            }
        original.release()
        do {
            return (try await stages.transform(decoded, for: context), decoded.making)
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
            stages.failures.noteDecode(error, of: source, as: recipe)
            throw error
        }
    }
}
