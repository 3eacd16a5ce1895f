internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

extension ImagePipeline {
    typealias VariantWork = SharedWork<VariantKey, LoadedImage, VariantStatus>

    /// Makes the variant that a request asks for and keeps it in memory.
    func variant(
        _ key: ImageKey,
        of request: ImageRequest,
        source: String,
        _ context: VariantWork.Context
    ) async throws -> LoadedImage {
        // Another request may have put it there between this one's miss and its turn.
        if request.cachePolicy.variant.reads, isFresh(source, for: request), let image = cache.memory[key] {
            return LoadedImage(image: image, source: .memory)
        }
        let (result, keeping) =
            if let encoder = request.storedEncoder {
                try await decodedVariant(key, of: request, source, encoder, context)
            } else {
                try await decodedOriginal(
                    of: request,
                    source: source,
                    priority: context.priority,
                    status: context.board,
                    residentKey: request.cachePolicy.variant.reads ? key : nil
                )
            }
        if request.cachePolicy.variant.writes {
            let cost = result.image.cost
            cache.noteChange(of: key)
            keep(result.image, forKey: key, cost: cost, keeping, source: source, in: cache.memory)
        }
        return result
    }

    private func decodedVariant(
        _ key: ImageKey,
        of request: ImageRequest,
        _ source: String,
        _ encoder: any ImageEncoder,
        _ context: VariantWork.Context
    ) async throws -> (LoadedImage, Keeping) {
        let variant = try await encodedVariant(
            key,
            of: request,
            source: source,
            encoder: encoder,
            priority: context.priority
        ) { status in
            status.onTransfer { context.board.follow($0, makePreviews: self.previewMaking(request)) }
        }
        let encoded = variant.encoded
        // Without an encoding the bytes lose nothing, so the image that they were made of is the same.
        let lossless = request.encoding == nil ? variant.image : nil
        let image: Image
        if let lossless {
            image = lossless
        } else {
            image = try await decode(encoded.data, DecodeRecipe(request.storedDecoding), request).image
        }
        return (
            LoadedImage(image: image, source: encoded.source, storeFailure: encoded.storeFailure),
            variant.keeping
        )
    }

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
    /// - Returns: The image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func decodedOriginal(
        of request: ImageRequest,
        source: String,
        priority: LivePriority,
        status: VariantStatus,
        residentKey: ImageKey?
    ) async throws -> (LoadedImage, Keeping) {
        try request.validateTransforms()
        let original = try await original(
            for: request,
            source: source,
            decodedAs: DecodeRecipe(request),
            priority: priority
        ) { transfer in
            status.follow(transfer, makePreviews: self.previewMaking(request))
        }
        do {
            // What memory has of other content has left it by now.
            let isConfirmed = original.keeping.contentHash != nil
            let resident = isConfirmed ? residentKey.flatMap { cache.memory[$0] } : nil
            let image = if let resident { resident } else { try await makeImage(of: original, request) }
            let storeFailure = original.storeFailure
            let loaded = LoadedImage(image: image, source: original.source, storeFailure: storeFailure)
            return (loaded, original.keeping)
        } catch let error as LoadError where original.source == .disk && error.isFaultOfInput {
            try await removeDamaged(ImageKey(source), of: request)
            guard request.cachePolicy.allowsLoading else { throw error }
            return try await decodedOriginal(
                of: request.withoutStoredOriginal,
                source: source,
                priority: priority,
                status: status,
                residentKey: nil
            )
        }
    }

    private func makeImage(of original: Original, _ request: ImageRequest) async throws -> Image {
        let recipe = DecodeRecipe(request)
        let shared = original.decoded.flatMap { $0.recipe == recipe ? $0 : nil }
        let decoded =
            if let shared { shared } else { try await decode(original.data, recipe, request) }
        return try await transform(decoded, request)
    }

    private func previewMaking(_ request: ImageRequest) -> VariantStatus.PreviewMaking {
        { transfer, status in await self.makePreviews(of: transfer, for: request, status) }
    }
}

extension ImageRequest {
    /// What the variant's bytes are made with, where it has bytes of its own.
    var storedEncoder: (any ImageEncoder)? {
        if let encoding { return encoding.encoder }
        let access = cachePolicy.variantOnDisk ?? .none
        guard access != .none, !pixelIdentity.isEmpty else { return nil }
        return PNGEncoder()
    }

    /// How the bytes of the variant are decoded: all that changes pixels has been done when they were made.
    var storedDecoding: DecodeOptions {
        DecodeOptions(frames: decoding.frames, scale: decoding.scale, limits: decoding.limits)
    }

    /// What may be done with the variant's bytes in the stores.
    var variantAccess: CachePolicy.Access {
        cachePolicy.variantOnDisk ?? (encoding == nil ? .none : cachePolicy.original)
    }
}

extension LoadError {
    /// Whether the bytes are to blame, whatever the request is.
    var isFaultOfInput: Bool { (underlying as? DecodeError)?.isFaultOfInput ?? false }

    /// Whether the decode took too long.
    var hasTimedOut: Bool { (underlying as? DecodeError)?.code == .timedOut }

    /// A failure to decode, which may be told as one of the stage already.
    init(decoding error: any Error) {
        self = error as? LoadError ?? LoadError(stage: .decode, underlying: error)
    }
}
