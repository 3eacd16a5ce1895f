internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// Produces an encoded variant once for all concurrent requests: from the stores, else encoded from the
/// original and stored.
final class EncodedJob: Sendable {
    private let loads: SharedLoads
    private let encoder: any ImageEncoder
    private let context: LoadContext
    private let work: EncodedWork.Context
    private let ticket: LoadTicket
    /// Held to the end, as by `ImageJob`.
    private let sourceTicket: LoadTicket

    init(
        _ context: LoadContext,
        encodedBy encoder: any ImageEncoder,
        work: EncodedWork.Context,
        loads: SharedLoads
    ) {
        self.context = context.forWork(of: work.priority)
        self.encoder = encoder
        self.work = work
        self.loads = loads
        work.progress.follow(self.context.clock)
        ticket = loads.stages.cache.beginLoad(of: context.identity.key)
        sourceTicket = loads.stages.cache.beginLoad(of: ImageKey(context.source))
        work.progress.noteLoad(ticket.number)
    }

    private var stages: Stages { loads.stages }
    private var request: ImageRequest { context.request }
    private var identity: RequestIdentity { context.identity }

    /// Runs the job: stores first, then decoding and encoding the original.
    ///
    /// - Returns: The bytes, unless they were delivered before.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func run() async throws -> EncodedWork.Outcome {
        if let stored = try await stored() { return .value(stored) }
        let (variant, storing) = try await stages.failures.rememberingEndedWorkers(
            identity.key,
            of: request,
            ticket: ticket
        ) {
            try await made()
        }
        if request.waitsForStore { work.progress.noteOnlyWrites() }
        // Here no pixels are held that are not needed.
        _ = try await storing?.untilStored(atMost: nil)
        return try await keep(variant)
    }

    /// Returns the variant from the stores, if it may be used.
    private func stored() async throws -> EncodedVariant? {
        guard request.variantAccess.reads else { return nil }
        var read = try await storedBlob()
        guard var metadata = read.map({ VariantMetadata(encoded: $0.metadata) }) else { return nil }
        var cacheability = Cacheability(contentHash: metadata?.contentHash, ticket: ticket)
        var (original, isStale) = (Original?.none, false)
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
            (original, isStale) = (content.original, content.isStale)
            work.progress.noteLoad(stages.sources.loadNumber(of: hash, from: identity.source))
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
            encoded.isStale = isStale
            // A revalidation counts as a fetch of this result.
            encoded.transactions = original?.transactions ?? []
            encoded.clock = original?.clock
            return EncodedVariant(encoded: encoded, cacheability: cacheability)
        } catch let error as DecodeError where error.fault == .input {
            await stages.removeDamaged(identity.key, of: request)
            return nil
        } catch let error as DecodeError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    private func storedBlob() async throws -> Blob? {
        try await stages.storedBlob(identity.key, for: context, through: stages.limits.variantReading)
    }

    /// Returns the properties of a stored variant; from its metadata if possible, because codecs may have a
    /// queue.
    private func header(of data: Data, _ metadata: VariantMetadata?) async throws -> ImageInfo {
        let limits = request.decoding.limits
        guard let info = metadata?.info else {
            return try await stages.info(of: data, limits: limits, for: context)
        }
        try limits.checkInput(data, format: info.format)
        try limits.checkSize(info.size, frameCount: info.frameCount, format: info.format)
        return info
    }

    /// Returns the content hash of the source, and the original if it had to be read; queries the origin if
    /// HTTP requires it.
    ///
    /// If memory does not know the source, the origin's response is taken from the records of the stores, and
    /// the variant stands in for an origin that fails.
    ///
    /// - Parameters:
    ///   - metadata: The metadata stored with the variant.
    ///   - beforeOriginal: Called before the original is requested.
    /// - Returns: The hash, the original, and whether HTTP calls the content stale.
    /// - Throws: ``LoadError``, or `CancellationError`.
    private func currentContent(
        _ metadata: VariantMetadata?,
        beforeOriginal: () -> Void
    ) async throws -> (hash: UInt64?, original: Original?, isStale: Bool) {
        let (key, sources) = (ImageKey(identity.source), stages.sources)
        if sources.validations[key] == nil, let known = try await storedValidation(metadata),
            sources.isFresh(known, for: request) || sources.mayStandIn(known, for: request, isFailing: true)
        {
            sources.noteIfUnknown(known, of: identity.source)
        }
        let isFresh = sources.isFresh(identity.source, for: request)
        if isFresh || loads.isUsedStale(context) {
            return (sources.validations[key]?.contentHash, nil, !isFresh)
        }
        beforeOriginal()
        var original: Original
        do {
            original = try await loads.original(for: context, decodedAs: nil) { [work] transfer in
                work.progress.follow(transfer)
            }
        } catch let error as LoadError where error.isOriginFailure {
            guard let known = sources.validations[key],
                sources.mayStandIn(known, for: request, isFailing: true)
            else { throw error }
            // The next callers do not wait for the same failure.
            stages.failures.noteBehind(error, for: context, ticket: ticket)
            return (known.contentHash, nil, true)
        }
        original.releaseDecoded()
        original.release()
        // A store has the bytes.
        original.data = Data()
        _ = try await original.storing?.untilStored(atMost: nil)
        return (original.cacheability.contentHash, original, original.isStale)
    }

    /// Returns the state of the source by the records of the variant and of its stored original.
    ///
    /// No bytes are read, whose budget may be in use by originals that wait for their decode.
    ///
    /// - Returns: `nil` if the stored original may have other content, or cannot be examined.
    /// - Throws: `CancellationError`.
    private func storedValidation(_ metadata: VariantMetadata?) async throws -> Validation? {
        guard let metadata, let own = metadata.validation(allowing: stages.configuration.staleAllowance)
        else { return nil }
        do {
            guard let info = try await stages.storedInfo(ImageKey(identity.source)) else { return own }
            guard let record = ResponseRecord(encoded: info.metadata) else { return nil }
            if record == own.record { return own }
            // The origin has confirmed the content since.
            guard record.hasSameBytes(as: own.record) else { return nil }
            return Validation(
                record: record,
                contentHash: own.contentHash,
                receivedAt: record.receivedAt,
                allowing: stages.configuration.staleAllowance
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            return nil
        }
    }

    /// Encodes the variant from the original.
    ///
    /// - Returns: The variant, and the transfer of its original if that is still written.
    private func made() async throws -> (EncodedVariant, Transfer?) {
        var made = try await loads.decodedOriginal(
            for: context,
            status: work.progress,
            ticket: sourceTicket,
            residentKey: nil
        )
        defer {
            made.making?.end()
            made.original?.release()
        }
        var data = try await stages.encode(
            made.loaded.image,
            as: encoder,
            for: context,
            isLarge: made.making?.isLarge == true
        )
        if let original = made.original?.data, let kept = request.encoding?.smallerOriginal {
            data = try await stages.smaller(of: data, original: original, retaining: kept)
        }
        let loaded = made.loaded
        let info = try await stages.step(.decode, of: request, byteCount: { _ in data.count }) {
            try await stages.info(of: data, limits: DecodeLimits(), for: context)
        }
        let time = stages.configuration.timeSource.now()
        var encoded = EncodedImage(data: data, info: info, source: loaded.source, receivedAt: time)
        (encoded.url, encoded.isStale, encoded.isNew) = (loaded.url, loaded.isStale, true)
        (encoded.clock, encoded.transactions) = (context.clock, loaded.transactions)
        var variant = EncodedVariant(encoded: encoded, cacheability: made.cacheability)
        if needsPixels { variant.image = loaded.image }
        variant.cacheability.ticket = ticket
        return (variant, made.storing)
    }

    /// True if a serializer, or a caller that would decode the variant, uses the pixels after the encode.
    ///
    /// A caller that waits for the store decodes them again: they would be held while the store hangs.
    private var needsPixels: Bool {
        stages.settings.serializer(for: request)?.usesDecodedImage == true
            || request.encoding == nil && !request.waitsForStore
    }

    /// Delivers a variant, then stores it if allowed; in the reverse order if the request waits for the
    /// store.
    private func keep(_ made: consuming EncodedVariant) async throws -> EncodedWork.Outcome {
        var variant = made
        // A serializer may use the image, which is then held until the write.
        let isSeen = stages.settings.serializer(for: request)?.usesDecodedImage == true
        made = isSeen ? variant : variant.withoutPixels
        if request.variantAccess == .writeOnly { ticket.noteReplacement() }
        guard request.variantAccess.writes, variant.cacheability.isAllowed,
            !stages.sources.isOutdated(variant.cacheability, of: identity.source)
        else { return .value(variant) }
        let byteCount = variant.encoded.data.count
        guard let lease = try await stages.leaseToWrite(byteCount, for: context) else {
            // Another caller may wait longer than the one that has started the work.
            if request.waitsForStore { variant.encoded.storeFailure = .storeBusy }
            return .value(variant)
        }
        defer { lease.end() }
        guard !request.waitsForStore else {
            variant.encoded.storeFailure = await store(variant) {}
            return .value(variant)
        }
        _ = await store(made) {
            work.deliver(variant, later: variant.withoutPixels)
            variant = variant.withoutPixels
        }
        return .delivered
    }

    private func store(_ variant: EncodedVariant, onPlaced: () -> Void) async -> LoadError? {
        let hash = variant.cacheability.contentHash
        let known = hash.flatMap { _ in stages.sources.validations[ImageKey(identity.source)] }
        let metadata = VariantMetadata(
            contentHash: hash,
            info: variant.encoded.info,
            record: known.flatMap { $0.contentHash == hash ? $0.record : nil }
        )
        return await stages.store(
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
