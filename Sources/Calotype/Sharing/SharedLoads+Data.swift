internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// Encoded bytes: those of an original, or of an encoded variant.
extension SharedLoads {
    /// Serves a request after the interceptors.
    func encodedImage(for request: ImageRequest, priority: LivePriority?) async throws -> EncodedImage {
        var request = request
        if request.encoding == nil, request.changesPicture {
            let codecs = stages.settings.codecs(for: request)
            request.encoding = ImageEncoding(OriginalFormatEncoder(codecs: codecs))
        }
        let (identity, deadline) = try await identified(request)
        let key = request.encoding == nil ? ImageKey(identity.source) : identity.key
        if let encoded = stages.sources.residentEncodedImage(key, of: identity.source, for: request) {
            return encoded
        }
        let priority = priority ?? LivePriority(request.priority)
        let context = LoadContext(
            request,
            identity,
            priority: priority,
            deadline: deadline ?? stages.settings.deadline(of: request)
        )
        return try await missedEncodedImage(key, for: context)
    }

    private func missedEncodedImage(_ key: ImageKey, for context: LoadContext) async throws -> EncodedImage {
        let (request, source, sources) = (context.request, context.source, stages.sources)
        if isUsedStale(context),
            let stale = sources.residentEncodedImage(key, of: source, for: request, isStale: true)
        {
            return stale
        }
        let ticket = stages.cache.beginLoad(of: key)
        var (encoded, cacheability) =
            if let encoding = request.encoding {
                try await encoded(by: encoding, for: context)
            } else {
                try await encodedOriginal(for: context)
            }
        if request.cachePolicy.variant.writes {
            (cacheability.ticket, cacheability.expiry) = (ticket, request.expiry.memory)
            let box = EncodedBox(encoded, contentHash: cacheability.contentHash)
            sources.keep(
                box,
                forKey: key,
                cost: encoded.data.count + key.entryByteCount,
                cacheability,
                source: source,
                in: sources.encodedMemory
            )
        }
        // A newer response of the origin does not describe these bytes.
        if let freshness = sources.freshnessForClients(of: cacheability.contentHash, source, for: request) {
            encoded.freshness = freshness
        } else {
            encoded.isStale = true
        }
        return encoded
    }

    private func encoded(
        by encoding: ImageEncoding,
        for context: LoadContext
    ) async throws -> (EncodedImage, Cacheability) {
        let variant = try await encodedVariant(
            for: context,
            encoder: encoding.encoder,
            onJoin: nil
        )
        return (variant.encoded, variant.cacheability)
    }

    private func encodedOriginal(for context: LoadContext) async throws -> (EncodedImage, Cacheability) {
        let request = context.request
        try stages.failures.checkPastHeader(for: context)
        let ticket = stages.cache.beginLoad(of: ImageKey(context.source))
        var original = try await original(
            for: context,
            decodedAs: nil,
            onJoin: nil
        )
        original.releaseDecoded()
        defer { original.release() }
        let limits = request.decoding.limits
        if let header = original.header, header.limits == limits {
            return (try await encodedImage(of: &original, header.info, for: context), original.cacheability)
        }
        do {
            let info = try await header(of: original.data, for: context)
            return (try await encodedImage(of: &original, info, for: context), original.cacheability)
        } catch let error as DecodeError
            where original.source == .disk && error.fault == .input && request.cachePolicy.allowsLoading
        {
            original.release()
            await stages.removeDamaged(ImageKey(context.source), of: request)
            return try await encodedOriginal(for: context.replacing(request.withoutStoredOriginal))
        } catch let error as DecodeError {
            let failure = LoadError(decoding: error)
            if failure.exceedsSize {
                stages.failures.noteHeader(failure, for: context, as: nil, ticket: ticket)
            }
            throw failure
        }
    }

    /// Reads a header within the time of the call.
    private func header(of data: Data, for context: LoadContext) async throws -> ImageInfo {
        let limits = context.request.decoding.limits
        guard let deadline = context.deadline else {
            return try await stages.info(of: data, limits: limits, for: context)
        }
        let failure: @Sendable () -> any Error = { LoadError.timedOut(after: deadline.limit, in: "decode") }
        return try await withTimeLimit(deadline.remaining, failure: failure) { [stages] in
            try await stages.info(of: data, limits: limits, for: context)
        }
    }

    /// Returns the bytes of an original, once they are stored if the request waits for that.
    private func encodedImage(
        of original: inout Original,
        _ info: ImageInfo,
        for context: LoadContext
    ) async throws -> EncodedImage {
        original.release()
        let failure = try await original.storing?.untilStored(atMost: context.deadline?.remaining)
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
