internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
public import CalotypeLoading
internal import FoundationEssentials

extension ImagePipeline {
    /// The encoded bytes for a request: in its encoding where it names one; without, the original's, or where
    /// a target or transforms make another picture of it that picture in the original's format, or in one
    /// that can hold it.
    ///
    /// Of an original only the header is read, and what has no header of an image gives an error and is not
    /// kept. All else is decoded and encoded once, and kept. Either is kept in memory as well, up to
    /// ``Configuration/encodedCostLimit``.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - priority: How urgent it is, where that may change while it loads; the request's unless given.
    /// - Returns: The bytes and what is known of them.
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for request: ImageRequest, priority: LivePriority? = nil) async throws -> EncodedImage {
        try await observed(request, source: \.source) {
            guard configuration.interceptors.isEmpty else {
                return try await interceptedData(request, priority)
            }
            return try await encodedImage(for: request, priority)
        }
    }

    /// The same, behind the interceptors.
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
        // A newer answer of the origin says nothing of these bytes.
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
            return (EncodedImage(original, header.info), original.cacheability)
        }
        do {
            let codecs = codecs(for: request)
            let info = try await self.info(of: original.data, limits: limits, by: codecs, priority)
            return (EncodedImage(original, info), original.cacheability)
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
}

extension ImageRequest {
    /// Whether what is asked for is another picture than the original.
    fileprivate var changesPicture: Bool {
        decoding.target != .full || decoding.frames == .first || !transforms.isEmpty
    }

    /// The same for the original's own bytes, where no encoding is asked for.
    var forOriginal: ImageRequest {
        var request = self
        (request.decoding.target, request.decoding.frames, request.transforms) = (.full, .all, [])
        return request
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
        (url, isStale) = (original.url, original.isStale)
        (clock, transactions) = (original.clock, original.transactions)
    }
}

extension Data {
    /// Copies bytes whose buffer may be larger than they are, or of whole pages; what is beyond the last byte
    /// of a buffer above 1 MiB has never been written, and takes no memory.
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
