internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
public import CalotypeLoading
internal import FoundationEssentials

extension ImagePipeline {
    /// The encoded bytes for a request: in its encoding where it names one, else the original's.
    ///
    /// Without an encoding nothing is decoded, whatever the request's decoding says; of the bytes only the
    /// header is read, and what has no header of an image gives an error and is not kept. With one, the
    /// original is decoded and encoded once, and kept. Either is kept in memory as well, up to
    /// ``Configuration/encodedCostLimit``.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - priority: How urgent it is, where that may change while it loads; the request's unless given.
    /// - Returns: The bytes and what is known of them.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for request: ImageRequest, priority: LivePriority? = nil) async throws -> EncodedImage {
        try await observed(request, source: \.source) {
            let identity = try await identity(of: request)
            let source = identity.source
            let key = request.encoding == nil ? ImageKey(source) : identity.key
            if request.cachePolicy.variant.reads, isFresh(source, for: request),
                var encoded = encodedMemory[key]?.encoded
            {
                encoded.source = .memory
                return encoded
            }
            let priority = priority ?? LivePriority(request.priority)
            let (encoded, keeping) =
                if let encoding = request.encoding {
                    try await encodedVariant(key, of: request, source, encoding, priority)
                } else {
                    try await encodedOriginal(of: request, source, priority)
                }
            if request.cachePolicy.variant.writes {
                let (box, cost) = (EncodedBox(encoded), encoded.data.count)
                keep(box, forKey: key, cost: cost, keeping, source: source, in: encodedMemory)
            }
            return encoded
        }
    }

    private func encodedVariant(
        _ key: ImageKey,
        of request: ImageRequest,
        _ source: String,
        _ encoding: ImageEncoding,
        _ priority: LivePriority
    ) async throws -> (EncodedImage, Keeping) {
        let variant = try await encodedVariant(
            key,
            of: request,
            source: source,
            encoder: encoding.encoder,
            priority: priority,
            onJoin: nil
        )
        return (variant.encoded, variant.keeping)
    }

    private func encodedOriginal(
        of request: ImageRequest,
        _ source: String,
        _ priority: LivePriority
    ) async throws -> (EncodedImage, Keeping) {
        let original = try await original(
            for: request,
            source: source,
            decodedAs: nil,
            priority: priority,
            onJoin: nil
        )
        let limits = request.decoding.limits
        if let header = original.header, header.limits == limits {
            return (EncodedImage(original, header.info), original.keeping)
        }
        do {
            let info = try await cache.info(of: original.data, limits: limits)
            return (EncodedImage(original, info), original.keeping)
        } catch let error as DecodeError
            where original.source == .disk && error.isFaultOfInput && request.cachePolicy.allowsLoading
        {
            try await removeDamaged(ImageKey(source), of: request)
            return try await encodedOriginal(of: request.withoutStoredOriginal, source, priority)
        } catch let error as DecodeError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }
}

extension EncodedImage {
    fileprivate init(_ original: Original, _ info: ImageInfo) {
        self.init(
            data: original.data,
            info: info,
            source: original.source,
            receivedAt: original.receivedAt,
            expiresAt: original.expiresAt,
            storeFailure: original.storeFailure
        )
    }
}

/// An encoded image as the memory cache holds it.
final class EncodedBox: Sendable {
    let encoded: EncodedImage

    init(_ encoded: EncodedImage) {
        var encoded = encoded
        // What happened when it was loaded is no news to whoever finds it later.
        encoded.storeFailure = nil
        self.encoded = encoded
    }
}
