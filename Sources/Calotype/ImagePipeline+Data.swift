internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
public import CalotypeLoading
internal import FoundationEssentials

extension ImagePipeline {
    /// Returns the encoded bytes for a request.
    ///
    /// The bytes are in the request's encoding. Without an encoding they are the original's. If a target or
    /// transforms change the image, they are in the original's format, or in one that can hold the image.
    ///
    /// For an original only the header is read; bytes without an image header are an error and are not
    /// cached. Other images are decoded and encoded once, and stored. Both are cached in memory too, up to
    /// ``Configuration/encodedCostLimit``.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    /// - Returns: The bytes and their properties.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for request: ImageRequest, priority: LivePriority? = nil) async throws -> EncodedImage {
        try await observed(request, source: \.source) {
            guard configuration.interceptors.isEmpty else {
                return try await interceptedData(request, priority)
            }
            return try await encodedImage(for: request, priority)
        }
    }

    /// Serves a request after the interceptors.
    func encodedImage(for request: ImageRequest, _ priority: LivePriority?) async throws -> EncodedImage {
        var request = request
        if request.encoding == nil, request.changesPicture {
            request.encoding = ImageEncoding(OriginalFormatEncoder(codecs: codecs(for: request)))
        }
        return try await cachedEncodedImage(for: request, priority)
    }

    private func cachedEncodedImage(for request: ImageRequest, _ priority: LivePriority?) async throws
        -> EncodedImage
    {
        let identity = try await identity(of: request)
        let source = identity.source
        let key = request.encoding == nil ? ImageKey(source) : identity.key
        if request.cachePolicy.variant.reads, isFresh(source, for: request),
            var encoded = encodedMemory[key]?.encoded
        {
            encoded.source = .memory
            encoded.freshness = freshnessForClients(of: request)
            return encoded
        }
        let priority = priority ?? LivePriority(request.priority)
        let ticket = cache.beginLoad(of: key)
        var (encoded, cacheability) =
            if let encoding = request.encoding {
                try await encoded(by: encoding, of: request, identity, priority)
            } else {
                try await encodedOriginal(of: request, source, priority)
            }
        if request.cachePolicy.variant.writes {
            (cacheability.ticket, cacheability.expiry) = (ticket, request.expiry.memory)
            let box = EncodedBox(encoded)
            keep(
                box,
                forKey: key,
                cost: encoded.data.count + key.entryByteCount,
                cacheability,
                source: source,
                in: encodedMemory
            )
        }
        // A newer response of the origin does not describe these bytes.
        if isCurrent(cacheability, of: source, for: request) {
            encoded.freshness = freshnessForClients(of: request)
        } else {
            encoded.isStale = true
        }
        return encoded
    }

    private func encoded(
        by encoding: ImageEncoding,
        of request: ImageRequest,
        _ identity: RequestIdentity,
        _ priority: LivePriority
    ) async throws -> (EncodedImage, Cacheability) {
        let variant = try await encodedVariant(
            of: request,
            identity,
            encoder: encoding.encoder,
            priority: priority,
            atMost: timeout(of: request),
            onJoin: nil
        )
        return (variant.encoded, variant.cacheability)
    }

    private func encodedOriginal(
        of request: ImageRequest,
        _ source: String,
        _ priority: LivePriority
    ) async throws -> (EncodedImage, Cacheability) {
        var original = try await original(
            for: request,
            source: source,
            decodedAs: nil,
            priority: priority,
            atMost: timeout(of: request),
            onJoin: nil
        )
        original.releaseDecoded()
        defer { original.release() }
        let limits = request.decoding.limits
        if let header = original.header, header.limits == limits {
            return (try await encodedImage(of: &original, header.info, request), original.cacheability)
        }
        do {
            let codecs = codecs(for: request)
            let info = try await self.info(of: original.data, limits: limits, by: codecs, priority)
            return (try await encodedImage(of: &original, info, request), original.cacheability)
        } catch let error as DecodeError
            where original.source == .disk && error.fault == .input && request.cachePolicy.allowsLoading
        {
            original.release()
            await removeDamaged(ImageKey(source), of: request)
            return try await encodedOriginal(of: request.withoutStoredOriginal, source, priority)
        } catch let error as DecodeError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    /// Returns the bytes of an original, once they are stored if the request waits for that.
    private func encodedImage(
        of original: inout Original,
        _ info: ImageInfo,
        _ request: ImageRequest
    ) async throws -> EncodedImage {
        original.release()
        let failure = try await original.storing?.untilStored(atMost: timeout(of: request))
        return EncodedImage(original, info, storeFailure: failure)
    }
}

extension ImageRequest {
    /// True if the request asks for an image that differs from the original.
    fileprivate var changesPicture: Bool {
        decoding.target != .full || decoding.frames == .first || !transforms.isEmpty
    }

    /// The request without target, frame selection and transforms.
    var forOriginal: ImageRequest {
        var request = self
        (request.decoding.target, request.decoding.frames, request.transforms) = (.full, .all, [])
        return request
    }
}

extension EncodedImage {
    fileprivate init(_ original: Original, _ info: ImageInfo, storeFailure: LoadError?) {
        self.init(
            data: original.data,
            info: info,
            source: original.source,
            receivedAt: original.receivedAt,
            expiresAt: original.expiresAt,
            storeFailure: storeFailure
        )
        (url, isStale) = (original.url, original.isStale)
        (clock, transactions) = (original.clock, original.transactions)
    }
}

extension Data {
    /// Copies bytes out of a buffer that may be larger.
    ///
    /// Above 1 MiB nothing is copied: the rest of such a buffer was never written and takes no memory.
    fileprivate mutating func makeExact() {
        guard count <= 1 << 20 else { return }
        self = unsafe withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe Data(bytes: $0, count: bytes.count) } ?? Data()
        }
    }
}

/// An encoded image as the memory cache holds it.
final class EncodedBox: Sendable {
    let encoded: EncodedImage

    init(_ encoded: EncodedImage) {
        var encoded = encoded
        encoded.data.makeExact()
        // These belong to the load that produced it; cached copies drop them.
        (encoded.storeFailure, encoded.url, encoded.isStale, encoded.isNew) = (nil, nil, false, false)
        (encoded.clock, encoded.transactions) = (nil, [])
        self.encoded = encoded
    }
}
