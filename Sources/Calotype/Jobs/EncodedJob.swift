internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The bytes of a variant, shared by concurrent requests.
struct EncodedVariant: Sendable {
    /// The bytes and their properties.
    var encoded: EncodedImage
    /// The image that was encoded, if that happened just now.
    var image: Image?
    /// The permission to cache the variant.
    var cacheability = Cacheability()

    /// The variant without the image, which may take a hundred times the memory of the bytes while they wait
    /// to be written.
    var withoutPixels: EncodedVariant {
        var variant = self
        variant.image = nil
        return variant
    }
}

/// Produces an encoded variant once for all concurrent requests: from the stores, else encoded from the
/// original and stored.
final class EncodedJob: Sendable {
    let pipeline: ImagePipeline
    let request: ImageRequest
    let identity: RequestIdentity
    let encoder: any ImageEncoder
    let context: ImagePipeline.EncodedWork.Context
    let ticket: LoadTicket

    init(
        _ pipeline: ImagePipeline,
        _ request: ImageRequest,
        _ identity: RequestIdentity,
        _ encoder: any ImageEncoder,
        _ context: ImagePipeline.EncodedWork.Context
    ) {
        (self.pipeline, self.request, self.identity) = (pipeline, request, identity)
        (self.encoder, self.context) = (encoder, context)
        ticket = pipeline.cache.beginLoad(of: identity.key)
    }

    /// Runs the job: stores first, then decoding and encoding the original.
    ///
    /// - Returns: The bytes; `nil` if they were delivered already.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func run() async throws -> EncodedVariant? {
        if let stored = try await stored() { return stored }
        let (variant, storing) = try await pipeline.rememberingEndedWorkers(identity.key, of: request) {
            try await made()
        }
        // Here no pixels are held that are not needed.
        _ = try await storing?.untilStored(atMost: nil)
        return try await keep(variant)
    }

    /// Returns the variant from the stores, if it may be used.
    private func stored() async throws -> EncodedVariant? {
        guard request.variantAccess.reads else { return nil }
        var read = try await storedBlob()
        guard var metadata = read.map({ VariantMetadata(encoded: $0.metadata) }) else { return nil }
        var cacheability = Cacheability(ticket: ticket)
        var original: Original?
        if request.heedsContent, request.isRemote {
            let content = try await currentContent(metadata) {
                // The entry is not held while the origin may be queried; it is read again.
                read = nil
            }
            guard let hash = content.hash, metadata?.contentHash == hash else { return nil }
            if read == nil {
                read = try await storedBlob()
                metadata = read.flatMap { VariantMetadata(encoded: $0.metadata) }
                guard metadata?.contentHash == hash else { return nil }
            }
            cacheability.contentHash = hash
            original = content.original
        }
        guard let blob = read else { return nil }
        do {
            var encoded = EncodedImage(
                data: blob.data,
                info: try await header(of: blob.data, metadata),
                source: .disk,
                receivedAt: blob.writtenAt,
                expiresAt: blob.expiresAt
            )
            encoded.isStale = original?.isStale == true
            // A revalidation counts as a fetch of this result.
            encoded.transactions = original?.transactions ?? []
            encoded.clock = original?.clock
            return EncodedVariant(encoded: encoded, cacheability: cacheability)
        } catch let error as DecodeError where error.fault == .input {
            await pipeline.removeDamaged(identity.key, of: request)
            return nil
        } catch let error as DecodeError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    private func storedBlob() async throws -> Blob? {
        try await pipeline.storedBlob(
            identity.key,
            of: request,
            through: pipeline.stages.variantReading,
            context.priority
        )
    }

    /// Returns the properties of a stored variant; from its metadata if possible, because codecs may have a
    /// queue.
    private func header(of data: Data, _ metadata: VariantMetadata?) async throws -> ImageInfo {
        let limits = request.decoding.limits
        guard let info = metadata?.info else {
            return try await pipeline.info(
                of: data,
                limits: limits,
                by: pipeline.codecs(for: request),
                context.priority
            )
        }
        try limits.checkInput(data, format: info.format)
        try limits.checkSize(info.size, frameCount: info.frameCount, format: info.format)
        return info
    }

    /// Returns the content hash of the source, and the original if it had to be read; queries the origin if
    /// HTTP requires it.
    ///
    /// If the original has left the stores, the origin's response is taken from the variant's metadata.
    ///
    /// - Parameters:
    ///   - metadata: The metadata stored with the variant.
    ///   - beforeOriginal: Called before the original is requested.
    /// - Returns: The hash, and the original.
    /// - Throws: ``LoadError``, or `CancellationError`.
    private func currentContent(
        _ metadata: VariantMetadata?,
        beforeOriginal: () -> Void
    ) async throws -> (hash: UInt64?, original: Original?) {
        let (source, key) = (identity.source, ImageKey(identity.source))
        if pipeline.validations[key] == nil,
            let known = metadata?.validation(allowing: pipeline.configuration.staleAllowance),
            pipeline.isFresh(known, for: request), await !hasOriginal(),
            // Another load may have learned more meanwhile.
            pipeline.validations[key] == nil
        {
            pipeline.validations.insert(known, forKey: key, cost: known.cost(for: key))
        }
        if pipeline.isFresh(source, for: request) { return (pipeline.validations[key]?.contentHash, nil) }
        beforeOriginal()
        var original = try await pipeline.original(
            for: request,
            source: source,
            decodedAs: nil,
            priority: context.priority
        ) { [context] transfer in
            context.progress.follow(transfer) { _, _ in }
        }
        original.releaseDecoded()
        original.release()
        // A store has the bytes.
        original.data = Data()
        _ = try await original.storing?.untilStored(atMost: nil)
        return (original.cacheability.contentHash, original)
    }

    /// True if a store may have the original, whose state is then looked up as usual.
    private func hasOriginal() async -> Bool {
        do { return try await pipeline.isStored(ImageKey(identity.source)) } catch { return true }
    }

    /// Encodes the variant from the original.
    ///
    /// - Returns: The variant, and the transfer of its original if that is still written.
    private func made() async throws -> (EncodedVariant, Transfer?) {
        let clock = StageClock()
        context.progress.follow(clock)
        let (loaded, cacheability) = try await pipeline.decodedOriginal(
            of: request,
            source: identity.source,
            priority: context.priority,
            status: context.progress,
            residentKey: nil,
            clock: clock
        )
        let data = try await pipeline.encode(
            loaded.image,
            as: encoder,
            request,
            context.priority,
            clock,
            isLarge: loaded.making?.isLarge == true
        )
        loaded.making?.end()
        let info = try await pipeline.step(.decode, of: request, byteCount: { _ in data.count }) {
            let codecs = pipeline.codecs(for: request)
            return try await pipeline.info(of: data, limits: DecodeLimits(), by: codecs, context.priority)
        }
        let time = pipeline.configuration.timeSource.now()
        var encoded = EncodedImage(data: data, info: info, source: loaded.source, receivedAt: time)
        (encoded.url, encoded.isStale, encoded.isNew) = (loaded.url, loaded.isStale, true)
        (encoded.clock, encoded.transactions) = (clock, loaded.transactions)
        var variant = EncodedVariant(encoded: encoded, cacheability: cacheability)
        if needsPixels { variant.image = loaded.image }
        variant.cacheability.ticket = ticket
        return (variant, loaded.storing)
    }

    /// True if a serializer, or a caller that would decode the variant, uses the pixels after the encode.
    ///
    /// A caller that waits for the store decodes them again: they would be held while the store hangs.
    private var needsPixels: Bool {
        pipeline.serializer(for: request)?.seesImages == true
            || request.encoding == nil && !request.waitsForStore
    }

    /// Delivers a variant, then stores it if allowed; in the reverse order if the request waits for the
    /// store.
    private func keep(_ made: consuming EncodedVariant) async throws -> EncodedVariant? {
        var variant = made
        // A serializer may use the image, which is then held until the write.
        let isSeen = pipeline.serializer(for: request)?.seesImages == true
        made = isSeen ? variant : variant.withoutPixels
        guard request.variantAccess.writes, variant.cacheability.isAllowed else { return variant }
        let byteCount = variant.encoded.data.count
        let lease = try await pipeline.leaseToWrite(byteCount, for: request, context.priority)
        guard let lease else { return variant }
        defer { lease.end() }
        guard !request.waitsForStore else {
            variant.encoded.storeFailure = await store(variant) {}
            return variant
        }
        _ = await store(made) {
            context.deliver(variant, later: variant.withoutPixels)
            variant = variant.withoutPixels
        }
        return nil
    }

    private func store(_ variant: EncodedVariant, onPlaced: () -> Void) async -> LoadError? {
        let hash = variant.cacheability.contentHash
        let known = hash.flatMap { _ in pipeline.validations[ImageKey(identity.source)] }
        let metadata = VariantMetadata(
            contentHash: hash,
            info: variant.encoded.info,
            record: known.flatMap { $0.contentHash == hash ? $0.record : nil }
        )
        return await pipeline.store(
            variant.encoded.data,
            for: identity.key,
            of: request,
            decodedTo: variant.image,
            metadata: metadata.encoded(),
            ticket: ticket,
            onPlaced: onPlaced
        )
    }
}
