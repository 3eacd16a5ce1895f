internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import FoundationEssentials

/// Produces a request's image once for all concurrent requests, from a stored variant or the original, and
/// caches it in memory.
final class ImageJob: Sendable {
    let loads: SharedLoads
    let context: LoadContext
    let work: VariantWork.Context
    private let ticket: LoadTicket
    /// Held to the end: without it a refresh of the source would be forgotten, and later callers would join.
    private let sourceTicket: LoadTicket

    init(
        _ context: LoadContext,
        work: VariantWork.Context,
        loads: SharedLoads
    ) {
        self.context = context.forWork(of: work.priority)
        self.work = work
        self.loads = loads
        ticket = loads.stages.cache.beginLoad(of: context.identity.key)
        sourceTicket = loads.stages.cache.beginLoad(of: ImageKey(context.source))
        work.progress.noteLoad(ticket.number)
    }

    var stages: Stages { loads.stages }
    var request: ImageRequest { context.request }
    var identity: RequestIdentity { context.identity }

    /// Runs the job.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    func run() async throws -> LoadedImage {
        // Another request may have cached the image between this one's miss and its turn.
        if let image = stages.sources.residentImage(identity, for: request) {
            return LoadedImage(image: image, source: .memory)
        }
        var result = try await stages.failures.rememberingEndedWorkers(
            identity.key,
            of: request,
            ticket: ticket
        ) {
            try await made()
        }
        // From here on the caller and the memory cache hold the image; the cache has a limit of its own.
        result.making?.end()
        result.making = nil
        var (loaded, cacheability) = (result.loaded, result.cacheability)
        if let storing = result.storing {
            work.progress.noteOnlyWrites()
            loaded.storeFailure = try await storing.untilStored(atMost: nil)
        }
        guard request.cachePolicy.variant.writes else { return loaded }
        (cacheability.ticket, cacheability.expiry) = (ticket, request.expiry.memory)
        let (image, cache) = (loaded.image, stages.cache)
        cache.noteChange(of: identity.key)
        stages.sources.noteSize(identity, of: request)
        stages.sources.keep(
            image,
            forKey: identity.key,
            cost: image.cost + identity.key.entryByteCount,
            cacheability,
            source: identity.source,
            in: cache.memory
        )
        return loaded
    }

    /// Forwards the progress of the transfer behind other work, with previews for this request.
    func followTransfer(of status: VariantStatus) {
        let (progress, makePreviews) = (work.progress, stages.previewMaking(request))
        status.onTransfer { progress.follow($0, makePreviews: makePreviews) }
    }

    private func made() async throws -> MadeImage {
        if let encoder = request.storedEncoder { return try await decodedVariant(encoder) }
        if let made = try await madeOfIntermediate() { return made }
        return try await loads.decodedOriginal(
            for: context,
            status: work.progress,
            ticket: sourceTicket,
            residentKey: request.cachePolicy.variant.reads ? identity.key : nil
        )
    }

    /// Returns the bytes of the variant, with a lease if a store had them.
    ///
    /// Without budget the bytes are released, and read again when there is budget.
    private func heldVariant(
        _ encoder: any ImageEncoder,
        for context: LoadContext
    ) async throws -> (EncodedVariant, ByteBudget.Lease?) {
        while true {
            var variant = try await loads.encodedVariant(
                for: context,
                encoder: encoder,
                onJoin: {
                    self.followTransfer(of: $0)
                    self.work.progress.wait(for: $0)
                }
            )
            work.progress.wait(for: nil)
            guard variant.encoded.source == .disk, !variant.encoded.isNew else { return (variant, nil) }
            let (byteCount, origin) = (variant.encoded.data.count, request.url.originText)
            if let lease = stages.limits.stored.leaseAtOnce(byteCount, of: origin) {
                return (variant, lease)
            }
            variant.encoded.data = Data()
            let lease = try await stages.leaseStored(byteCount, for: context)
            // Only the store is read while the lease is held: a load could wait for the same budget.
            if let data = try await storedData(of: variant), data.count <= byteCount {
                variant.encoded.data = data
                return (variant, lease)
            }
        }
    }

    /// Returns the bytes of a variant from its store; `nil` if they have changed.
    private func storedData(of variant: EncodedVariant) async throws -> Data? {
        let gate = stages.limits.variantReading
        let blob = try await stages.storedBlob(identity.key, for: context, through: gate)
        guard let blob else { return nil }
        let hash = variant.cacheability.contentHash
        return hash == nil || VariantMetadata(encoded: blob.metadata)?.contentHash == hash ? blob.data : nil
    }

    /// Returns the image of a variant; one that does not decode is removed from the stores and made again.
    private func decodedVariant(_ encoder: any ImageEncoder) async throws -> MadeImage {
        let (variant, lease) = try await heldVariant(encoder, for: context)
        do {
            return try await decoded(variant, lease)
        } catch let error as LoadError
            where variant.encoded.source == .disk && !variant.encoded.isNew && error.fault == .input
        {
            await stages.removeDamaged(identity.key, of: request)
            let again = context.replacing(request.withoutStoredVariant)
            let (made, lease) = try await heldVariant(encoder, for: again)
            return try await decoded(made, lease)
        }
    }

    private func decoded(_ variant: EncodedVariant, _ lease: ByteBudget.Lease?) async throws -> MadeImage {
        defer { lease?.end() }
        let encoded = variant.encoded
        // Without an encoding the bytes are lossless, so the image that they were encoded from is the same.
        let lossless = request.encoding == nil ? variant.image : nil
        let image: Image
        if let lossless {
            image = lossless
        } else {
            let recipe = DecodeRecipe(request.storedDecoding)
            do {
                image = try await stages.decode(encoded.data, as: recipe, for: context).image
            } catch let error as LoadError where error.hasTimedOut {
                stages.failures.noteFailure(error, of: identity.key, ticket: ticket)
                throw error
            }
        }
        var loaded = LoadedImage(image: image, source: encoded.source, storeFailure: encoded.storeFailure)
        (loaded.url, loaded.isStale) = (encoded.url, encoded.isStale)
        loaded.transactions = encoded.transactions
        return MadeImage(loaded: loaded, cacheability: variant.cacheability)
    }
}

extension ImageRequest {
    /// The encoder of the variant, or `nil` if it has no bytes of its own.
    var storedEncoder: (any ImageEncoder)? {
        if let encoding { return encoding.encoder }
        let access = cachePolicy.variantOnDisk ?? .none
        guard access != .none, !pixelIdentity.isEmpty else { return nil }
        // PNG holds neither IPTC nor gain maps.
        guard !decoding.keepsMetadata, !decoding.keepsGainMap else { return nil }
        return PNGEncoder()
    }

    /// The options for decoding the variant, whose pixels were changed before it was encoded.
    var storedDecoding: DecodeOptions {
        DecodeOptions(
            frames: decoding.frames,
            scale: decoding.scale,
            limits: decoding.limits,
            convertsToSRGB: decoding.convertsToSRGB,
            keepsWideGamut: decoding.keepsWideGamut,
            keepsDepth: decoding.keepsDepth,
            keepsMetadata: decoding.keepsMetadata,
            keepsGainMap: decoding.keepsGainMap
        )
    }

    /// The request without reading the variant from the stores.
    fileprivate var withoutStoredVariant: ImageRequest {
        var fresh = self
        fresh.cachePolicy.variantOnDisk = variantAccess.writes ? .writeOnly : CachePolicy.Access.none
        return fresh
    }

    /// The access to the variant's bytes in the stores.
    var variantAccess: CachePolicy.Access {
        cachePolicy.variantOnDisk ?? (encoding == nil ? .none : cachePolicy.original)
    }
}

extension LoadError {
    /// True if the decode exceeded its limit of time or memory.
    var hasTimedOut: Bool {
        let code = (underlying as? DecodeError)?.code
        return code == .timedOut || code == .memoryExceeded
    }

    /// True if the decode exceeded the memory limit, which a smaller result might not.
    var mayFitSmaller: Bool {
        (underlying as? DecodeError)?.code == .memoryExceeded && !isOfHeader
    }

    /// Creates an error of the stage `decode`, unless the error is a `LoadError` already.
    init(decoding error: any Error) {
        self = error as? LoadError ?? LoadError(stage: .decode, underlying: error)
    }
}
