internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The bytes of a variant, as requests that ask for them at the same time share them.
struct EncodedVariant: Sendable {
    /// The bytes and what is known of them.
    var encoded: EncodedImage
    /// What they were made of, where they were made just now.
    var image: Image?
    /// Whether they may be kept.
    var keeping = Keeping()

    /// The same, as it waits to be written: an image may take a hundred times the memory of its bytes.
    var withoutPixels: EncodedVariant {
        var variant = self
        variant.image = nil
        return variant
    }
}

extension ImagePipeline {
    typealias EncodedWork = SharedWork<VariantKey, EncodedVariant, VariantStatus>

    /// The encoded variant of a request: from the stores, else made of the original and kept there.
    ///
    /// - Parameters:
    ///   - key: What it is kept under.
    ///   - request: What to make.
    ///   - source: Where the original comes from.
    ///   - encoder: What makes the bytes.
    ///   - priority: How urgent it is.
    ///   - onJoin: Called with the status of the work where it is awaited.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func encodedVariant(
        _ key: ImageKey,
        of request: ImageRequest,
        source: String,
        encoder: any ImageEncoder,
        priority: LivePriority,
        onJoin: ((VariantStatus) -> Void)?
    ) async throws -> EncodedVariant {
        try await encodedVariants.value(
            for: VariantKey(key: key, request: request),
            priority: priority,
            onJoin: onJoin
        ) { context in
            if let stored = try await self.storedVariant(key, of: request, source: source, context) {
                return stored
            }
            return try await self.makeVariant(key, of: request, source, encoder, context)
        }
    }

    /// What the stores have of a variant, where it may be used.
    private func storedVariant(
        _ key: ImageKey,
        of request: ImageRequest,
        source: String,
        _ context: EncodedWork.Context
    ) async throws -> EncodedVariant? {
        guard request.variantAccess.reads else { return nil }
        guard let blob = try await storedBlob(key, of: request) else { return nil }
        var keeping = Keeping()
        if request.httpCaching == .respectsHTTP, request.isRemote {
            guard let hash = try await currentContent(request, source, context) else { return nil }
            guard blob.metadata == VariantMetadata(contentHash: hash).bytes else { return nil }
            keeping.contentHash = hash
        }
        do {
            let info = try await cache.info(of: blob.data, limits: request.decoding.limits)
            let encoded = EncodedImage(
                data: blob.data,
                info: info,
                source: .disk,
                receivedAt: blob.writtenAt,
                expiresAt: blob.expiresAt
            )
            return EncodedVariant(encoded: encoded, keeping: keeping)
        } catch let error as DecodeError where error.isFaultOfInput {
            try await removeDamaged(key, of: request)
            return nil
        } catch let error as DecodeError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    /// The content that a source has now, which the origin is asked where HTTP says so.
    private func currentContent(
        _ request: ImageRequest,
        _ source: String,
        _ context: EncodedWork.Context
    ) async throws -> UInt64? {
        if isFresh(source, for: request) { return validations[ImageKey(source)]?.contentHash }
        let original = try await original(
            for: request,
            source: source,
            decodedAs: nil,
            priority: context.priority
        ) { transfer in
            context.board.follow(transfer) { _, _ in }
        }
        return original.keeping.contentHash
    }

    private func makeVariant(
        _ key: ImageKey,
        of request: ImageRequest,
        _ source: String,
        _ encoder: any ImageEncoder,
        _ context: EncodedWork.Context
    ) async throws -> EncodedVariant? {
        let (loaded, keeping) = try await decodedOriginal(
            of: request,
            source: source,
            priority: context.priority,
            status: context.board,
            residentKey: nil
        )
        let data = try await step(.encode, of: request, byteCount: \.count) {
            try await cache.runBlocking { try encoder.encode(loaded.image) }
        }
        let info = try await step(.decode, of: request, byteCount: { _ in data.count }) {
            try await cache.info(of: data, limits: DecodeLimits())
        }
        let now = configuration.timeSource.now()
        let encoded = EncodedImage(data: data, info: info, source: loaded.source, receivedAt: now)
        var variant = EncodedVariant(encoded: encoded, image: loaded.image, keeping: keeping)
        guard request.variantAccess.writes, keeping.isAllowed else { return variant }
        let metadata = keeping.contentHash.map { VariantMetadata(contentHash: $0).bytes } ?? Data()
        if request.waitsForStore {
            variant.encoded.storeFailure = await store(data, for: key, of: request, metadata: metadata)
            return variant
        }
        _ = await store(data, for: key, of: request, metadata: metadata) {
            context.deliver(variant, later: variant.withoutPixels)
            variant = variant.withoutPixels
        }
        return nil
    }
}

/// What stands beside a variant in a store: which bytes it was made of.
struct VariantMetadata {
    /// The XXH3 of the original.
    let contentHash: UInt64

    /// A byte for the version, then the hash, its lowest byte first.
    var bytes: Data {
        Data([1] + (0..<8).map { UInt8(truncatingIfNeeded: contentHash >> (8 * $0)) })
    }
}
