internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

extension SharedLoads {
    /// Returns the image of a request, decoded from its original and transformed.
    ///
    /// A stored original that is not an image is removed from the store and loaded again.
    ///
    /// - Parameters:
    ///   - context: The load, whose clock measures the steps.
    ///   - status: The status, which follows the transfer.
    ///   - ticket: The ticket of the source, which the caller holds until its result is made.
    ///   - residentKey: The key under which memory may have the image; used once the original is known to be
    ///     the same.
    /// - Returns: The image, with its permits and budget.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func decodedOriginal(
        for context: LoadContext,
        status: VariantStatus,
        ticket: LoadTicket,
        residentKey: ImageKey?
    ) async throws -> MadeImage {
        let (request, source) = (context.request, context.source)
        try request.validateTransforms()
        let recipe = DecodeRecipe(request)
        try stages.failures.checkPastDecodes(for: context, as: recipe)
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
            let resident =
                isConfirmed ? residentKey.flatMap { stages.sources.currentImage($0, of: source) } : nil
            let (image, making, replacement) =
                if let resident { (resident, Making?.none, Original?.none) } else {
                    try await makeImage(of: &original, for: context, ticket: ticket)
                }
            if resident != nil { original.releaseDecoded() }
            var loaded = LoadedImage(image: image, source: original.source)
            (loaded.url, loaded.isStale) = (original.url, original.isStale)
            loaded.transactions = original.transactions
            return MadeImage(
                loaded: loaded,
                cacheability: original.cacheability,
                making: making,
                storing: original.storing,
                original: replacement
            )
        } catch let error as LoadError where original.source == .disk && error.fault == .input {
            await stages.removeDamaged(ImageKey(source), of: request)
            guard request.cachePolicy.allowsLoading else { throw error }
            let again = context.replacing(request.withoutStoredOriginal)
            return try await decodedOriginal(
                for: again,
                status: status,
                ticket: ticket,
                residentKey: nil
            )
        }
    }

    /// Returns the image, and the original with its budget if it may replace a larger result.
    private func makeImage(
        of original: inout Original,
        for context: LoadContext,
        ticket: LoadTicket
    ) async throws -> (Image, Making?, Original?) {
        let recipe = DecodeRecipe(context.request)
        if let failure = original.decodeFailure, failure.recipe == recipe { throw failure.error }
        let decoded =
            if let decoded = original.decoded { decoded } else {
                try await decode(original.data, as: recipe, for: context, ticket: ticket)
            }
        let request = context.request
        let mayReplace = request.mayBeReplaced(by: decoded)
        if !mayReplace { original.release() }
        // Without pixels of its own a caller needs no turn.
        guard !request.transforms.isEmpty || request.storedEncoder != nil else {
            return (decoded.image, decoded.making, nil)
        }
        let making = try await stages.inTurn(decoded.making, for: context)
        do {
            let image = try await stages.transform(decoded, within: making, for: context)
            guard mayReplace else { return (image, making, nil) }
            let replacement = original.whileMeasured
            // The budget has moved.
            original.hold = nil
            return (image, making, replacement)
        } catch {
            making?.end()
            throw error
        }
    }

    /// Decodes, and remembers a decode that would fail again.
    private func decode(
        _ data: Data,
        as recipe: DecodeRecipe,
        for context: LoadContext,
        ticket: LoadTicket
    ) async throws -> Original.Decoded {
        do {
            return try await stages.decode(data, as: recipe, for: context)
        } catch let error as LoadError where error.hasTimedOut || error.exceedsSize {
            stages.failures.noteDecode(error, for: context, as: recipe, ticket: ticket)
            // If the header exceeds the limits, the image does so in all sizes.
            if error.exceedsSize, let failure = try await headerFailure(of: data, for: context) {
                stages.failures.noteHeader(failure, for: context, as: recipe, ticket: ticket)
            }
            throw error
        }
    }

    private func headerFailure(of data: Data, for context: LoadContext) async throws -> LoadError? {
        do {
            _ = try await stages.info(of: data, limits: context.request.decoding.limits, for: context)
            return nil
        } catch let error as DecodeError {
            let failure = LoadError(decoding: error)
            return failure.exceedsSize ? failure : nil
        }
    }
}
