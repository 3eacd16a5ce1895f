internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Sharing of work between concurrent calls: each piece of work is done once, by a job.
extension ImagePipeline {
    typealias OriginalWork = SharedWork<OriginalKey, Original, Transfer>
    typealias VariantWork = SharedWork<VariantKey, LoadedImage, VariantStatus>
    typealias EncodedWork = SharedWork<VariantKey, EncodedVariant, VariantStatus>

    /// Returns the image for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - identity: The keys of the variant and its source.
    ///   - priority: The priority.
    ///   - onJoin: Called with the status of the work, if the call waits for it.
    /// - Returns: The image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func variant(
        of request: ImageRequest,
        _ identity: RequestIdentity,
        priority: LivePriority,
        onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        try await sharingUnlessRefused(request) { request, onStart in
            try await variants.value(
                for: key(of: request, identity),
                of: request,
                priority: priority,
                atMost: timeout(of: request),
                onShare: { notify { $0.pipeline(didJoin: request) } },
                onJoin: onJoin
            ) { context in
                onStart()
                return try await ImageJob(self, request, identity, context).run()
            }
        }
    }

    /// Returns the encoded variant of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - identity: The keys of the variant and its source.
    ///   - encoder: The encoder.
    ///   - priority: The priority.
    ///   - limit: The time limit of the wait; `nil` for none.
    ///   - onJoin: Called with the status of the work, if the call waits for it.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func encodedVariant(
        of request: ImageRequest,
        _ identity: RequestIdentity,
        encoder: any ImageEncoder,
        priority: LivePriority,
        atMost limit: Duration? = nil,
        onJoin: ((VariantStatus) -> Void)?
    ) async throws -> EncodedVariant {
        try await sharingUnlessRefused(request) { request, onStart in
            try await encodedVariants.value(
                for: key(of: request, identity),
                of: request,
                priority: priority,
                atMost: limit,
                accepts: { variant in
                    let isStale = variant.encoded.isStale
                    let access = request.variantAccess
                    guard self.isCurrent(variant.cacheability, of: identity.source, for: request) else {
                        return false
                    }
                    return self.isUsable(identity.source, for: request, access, isValidating: isStale)
                },
                onShare: { notify { $0.pipeline(didJoin: request) } },
                onJoin: onJoin
            ) { context in
                onStart()
                return try await EncodedJob(self, request, identity, encoder, context).run()
            }
        }
    }

    /// Returns the bytes for a request: from the stores, else from the loader; shared by concurrent requests.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - source: The source of the bytes.
    ///   - recipe: The recipe for decoding the bytes before they are stored; `nil` to read only their header.
    ///   - priority: The priority.
    ///   - limit: The time limit of the wait; `nil` for none.
    ///   - onJoin: Called with the transfer.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func original(
        for request: ImageRequest,
        source: String,
        decodedAs recipe: DecodeRecipe?,
        priority: LivePriority,
        atMost limit: Duration? = nil,
        onJoin: ((Transfer) -> Void)?
    ) async throws -> Original {
        try await sharingUnlessRefused(request) { request, onStart in
            var transfer: Transfer?
            var original = try await originals.value(
                for: OriginalKey(
                    source: source,
                    request: request,
                    removalCount: cache.removalCount(of: ImageKey(source))
                ),
                of: request,
                priority: priority,
                atMost: limit,
                accepts: { self.mayTake($0, source, request) },
                onShare: { notify { $0.pipeline(didJoin: request) } },
                onJoin: {
                    transfer = $0
                    onJoin?($0)
                }
            ) { context in
                onStart()
                return try await OriginalJob(self, request, source: source, recipe: recipe, context).run()
            }
            // Waited for once the permits and budgets have been released.
            if request.waitsForStore { original.storing = transfer }
            return original
        }
    }

    /// Returns the parameters that determine a variant at the moment.
    func key(of request: ImageRequest, _ identity: RequestIdentity) -> VariantKey {
        VariantKey(
            key: identity.key,
            request: request,
            removalCount: cache.removalCount(of: identity.key)
        )
    }

    /// True if an original that is being written or validated may be delivered to a request.
    private func mayTake(_ original: Original, _ source: String, _ request: ImageRequest) -> Bool {
        let access = request.cachePolicy.original
        if let end = original.standsInUntil {
            return access.reads && configuration.timeSource.now() <= end
                && isCurrent(original.cacheability, of: source, for: request)
        }
        return isCurrent(original.cacheability, of: source, for: request)
            && isUsable(source, for: request, access, isValidating: original.isStale)
    }

    /// Shares work with other requests, and works alone if theirs was refused.
    ///
    /// With a filter of identities (``Configuration/sourceIdentity``) they may have used another URL, whose
    /// signature has expired.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - work: Does the work; calls its closure argument if no other request has started it.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`.
    func sharingUnlessRefused<Value>(
        _ request: ImageRequest,
        _ work: (ImageRequest, _ onStart: @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        guard configuration.sourceIdentity != nil, !request.isAskedAlone else {
            return try await work(request) {}
        }
        let isStarter = Guarded(false)
        do {
            return try await work(request) { isStarter.withLock { $0 = true } }
        } catch let error as LoadError where error.isRefusal && !isStarter.withLock(\.self) {
            var alone = request
            alone.isAskedAlone = true
            return try await work(alone) {}
        }
    }
}

extension LoadError {
    /// True if the origin refuses this URL, and may allow another one of the same source.
    fileprivate var isRefusal: Bool { [401, 403].contains((underlying as? FetchError)?.status) }
}
