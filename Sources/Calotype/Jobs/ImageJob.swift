internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import FoundationEssentials

/// Makes the image that a request asks for, once for all that ask for it at the same time, and keeps it in
/// memory: of a variant in the stores, or of the original.
final class ImageJob: Sendable {
    let pipeline: ImagePipeline
    let request: ImageRequest
    let identity: RequestIdentity
    let context: ImagePipeline.VariantWork.Context
    let ticket: LoadTicket

    init(
        _ pipeline: ImagePipeline,
        _ request: ImageRequest,
        _ identity: RequestIdentity,
        _ context: ImagePipeline.VariantWork.Context
    ) {
        (self.pipeline, self.request, self.identity, self.context) = (pipeline, request, identity, context)
        ticket = pipeline.cache.beginLoad(of: identity.key)
    }

    /// The whole way of an image.
    ///
    /// - Returns: The image, with where it came from.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func run() async throws -> LoadedImage {
        // Another request may have put it there between this one's miss and its turn.
        if let image = pipeline.residentImage(identity, for: request) {
            return LoadedImage(image: image, source: .memory)
        }
        var (loaded, cacheability) = try await pipeline.rememberingEndedWorkers(identity, of: request) {
            try await made()
        }
        // From here on it is the caller's, and memory's, which has a limit of its own.
        loaded.making?.end()
        loaded.making = nil
        guard request.cachePolicy.variant.writes else { return loaded }
        (cacheability.ticket, cacheability.expiry) = (ticket, request.expiry.memory)
        let (image, cache) = (loaded.image, pipeline.cache)
        cache.noteChange(of: identity.key)
        pipeline.noteSize(identity, of: request)
        pipeline.keep(
            image,
            forKey: identity.key,
            cost: image.cost + identity.key.entryByteCount,
            cacheability,
            source: identity.source,
            in: cache.memory
        )
        return loaded
    }

    private func made() async throws -> (LoadedImage, Cacheability) {
        if let encoder = request.storedEncoder { return try await decodedVariant(encoder) }
        if let made = try await madeOfIntermediate() { return made }
        return try await pipeline.decodedOriginal(
            of: request,
            source: identity.source,
            priority: context.priority,
            status: context.progress,
            residentKey: request.cachePolicy.variant.reads ? identity.key : nil
        )
    }

    /// What the bytes of the variant decode to.
    private func decodedVariant(_ encoder: any ImageEncoder) async throws -> (LoadedImage, Cacheability) {
        let variant = try await pipeline.encodedVariant(
            of: request,
            identity,
            encoder: encoder,
            priority: context.priority
        ) { [pipeline, request, context] status in
            status.onTransfer { context.progress.follow($0, makePreviews: pipeline.previewMaking(request)) }
        }
        let encoded = variant.encoded
        // Without an encoding the bytes lose nothing, so the image that they were made of is the same.
        let lossless = request.encoding == nil ? variant.image : nil
        let image: Image
        if let lossless {
            image = lossless
        } else {
            let recipe = DecodeRecipe(request.storedDecoding)
            image = try await pipeline.decode(encoded.data, recipe, request, context.priority).image
        }
        var loaded = LoadedImage(image: image, source: encoded.source, storeFailure: encoded.storeFailure)
        (loaded.url, loaded.isStale) = (encoded.url, encoded.isStale)
        loaded.transactions = encoded.transactions
        return (loaded, variant.cacheability)
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
        DecodeOptions(
            frames: decoding.frames,
            scale: decoding.scale,
            limits: decoding.limits,
            convertsToSRGB: decoding.convertsToSRGB,
            keepsDepth: decoding.keepsDepth
        )
    }

    /// What may be done with the variant's bytes in the stores.
    var variantAccess: CachePolicy.Access {
        cachePolicy.variantOnDisk ?? (encoding == nil ? .none : cachePolicy.original)
    }
}

extension LoadError {
    /// Whether the decode took too long.
    var hasTimedOut: Bool {
        let code = (underlying as? DecodeError)?.code
        return code == .timedOut || code == .memoryExceeded
    }

    /// Whether the decode took more memory than it may, of which a smaller result could take less.
    var mayFitSmaller: Bool {
        (underlying as? DecodeError)?.code == .memoryExceeded && !isOfHeader
    }

    /// A failure to decode, which may be told as one of the stage already.
    init(decoding error: any Error) {
        self = error as? LoadError ?? LoadError(stage: .decode, underlying: error)
    }
}
