internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The budget of an original's bytes, kept for a caller that decodes them.
final class OriginalBudget: Sendable {
    private let hold = Guarded<SharedHold?>(nil)

    deinit { end() }

    /// Takes the budget of other bytes instead of the current one.
    func take(_ hold: SharedHold?) {
        let former = self.hold.withLock { current in
            defer { current = hold }
            return current
        }
        former?.end()
    }

    func end() { take(nil) }
}

/// Encoded bytes: those of an original, or of an encoded variant.
extension SharedLoads {
    /// Serves a request after the interceptors.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    ///   - budget: Gets the budget of an original's bytes, which is otherwise released before they are
    ///     returned. Bytes that come from memory, or have been written for the caller, have none.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func encodedImage(
        for request: ImageRequest,
        priority: LivePriority?,
        budget: OriginalBudget? = nil
    ) async throws -> EncodedImage {
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
        return try await missedEncodedImage(key, for: context, budget)
    }

    private func missedEncodedImage(
        _ key: ImageKey,
        for context: LoadContext,
        _ budget: OriginalBudget?
    ) async throws -> EncodedImage {
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
                try await encodedOriginal(for: context, budget)
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

    private func encodedOriginal(
        for context: LoadContext,
        _ budget: OriginalBudget?
    ) async throws -> (EncodedImage, Cacheability) {
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
        let info: ImageInfo
        do {
            info =
                if let header = original.header, header.limits == limits { header.info } else {
                    try await header(of: original.data, for: context)
                }
        } catch let error as DecodeError
            where original.source == .disk && error.fault == .input && request.cachePolicy.allowsLoading
        {
            original.release()
            await stages.removeDamaged(ImageKey(context.source), of: request)
            return try await encodedOriginal(for: context.replacing(request.withoutStoredOriginal), budget)
        } catch let error as DecodeError {
            let failure = LoadError(decoding: error)
            if failure.exceedsSize {
                stages.failures.noteHeader(failure, for: context, as: nil, ticket: ticket)
            }
            throw failure
        }
        // A caller that waits for its store holds nothing meanwhile.
        if let budget, original.storing == nil {
            budget.take(original.hold)
            original.hold = nil
        }
        original.release()
        let failure = try await original.storing?.untilStored(atMost: context.deadline?.remaining)
        return (EncodedImage(original, info, storeFailure: failure), original.cacheability)
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
