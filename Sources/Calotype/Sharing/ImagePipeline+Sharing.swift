internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Where calls that ask for the same meet: each piece of work is done once, by a job.
extension ImagePipeline {
    typealias OriginalWork = SharedWork<OriginalKey, Original, Transfer>
    typealias VariantWork = SharedWork<VariantKey, LoadedImage, VariantStatus>
    typealias EncodedWork = SharedWork<VariantKey, EncodedVariant, VariantStatus>

    /// The image for a request.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - identity: What it is kept under.
    ///   - priority: How urgent it is.
    ///   - onJoin: Called with the status of the work where it is awaited.
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

    /// The encoded variant of a request.
    ///
    /// - Parameters:
    ///   - request: What to make.
    ///   - identity: What it is kept under.
    ///   - encoder: What makes the bytes.
    ///   - priority: How urgent it is.
    ///   - limit: How long the caller waits; for ever where it is `nil`.
    ///   - onJoin: Called with the status of the work where it is awaited.
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

    /// The bytes for a request: from the stores, else from the loader; shared by all that ask at the same
    /// time.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - source: Where from.
    ///   - recipe: What they are decoded to before they are kept; where it is `nil` only their header is
    ///     read.
    ///   - priority: How urgent it is.
    ///   - limit: How long the caller waits; for ever where it is `nil`.
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
            if request.waitsForStore {
                // A store that hangs must not keep others from loading.
                original.release()
                original.storeFailure = try await transfer?.untilStored(atMost: limit)
            }
            return original
        }
    }

    /// What the making of a variant depends on at the moment.
    func key(of request: ImageRequest, _ identity: RequestIdentity) -> VariantKey {
        VariantKey(
            key: identity.key,
            request: request,
            removalCount: cache.removalCount(of: identity.key)
        )
    }

    /// Whether an original that is still being written, or validated, may be handed to a request.
    private func mayTake(_ original: Original, _ source: String, _ request: ImageRequest) -> Bool {
        let access = request.cachePolicy.original
        if let end = original.standsInUntil { return access.reads && configuration.timeSource.now() <= end }
        return isCurrent(original.cacheability, of: source, for: request)
            && isUsable(source, for: request, access, isValidating: original.isStale)
    }

    /// Shares work with others, and does without them where theirs was refused.
    ///
    /// With a filter of identities (``Configuration/sourceIdentity``) they may have asked by another URL,
    /// whose signature has expired.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - work: Loads it; calls the closure that it is given where nobody else does.
    /// - Returns: What `work` returns.
    /// - Throws: What `work` throws.
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
    /// Whether the origin refuses this URL, and may allow another of the same source.
    fileprivate var isRefusal: Bool { [401, 403].contains((underlying as? FetchError)?.status) }
}
