internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The work in progress: concurrent calls share each piece, which a job does once.
final class SharedLoads: Sendable {
    let stages: Stages
    let originals = OriginalWork { $0.noteHolders($1) }
    let variants = VariantWork()
    let encodedVariants = EncodedWork()

    init(_ stages: Stages) {
        self.stages = stages
    }

    /// Returns the image for a request.
    ///
    /// - Parameters:
    ///   - context: The load.
    ///   - onJoin: Called with the status of the work, if the call waits for it.
    /// - Returns: The image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func variant(
        for context: LoadContext,
        onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        try await sharingUnlessRefused(context) { context, onStart in
            let request = context.request
            return try await variants.value(
                for: key(of: context),
                of: context,
                priority: context.priority,
                atMost: context.deadline?.remaining,
                ofCall: context.deadline?.limit,
                since: newestLoad(for: context),
                onShare: { stages.notify { $0.didJoin(request) } },
                onJoin: onJoin
            ) { work in
                onStart()
                return .value(try await ImageJob(context, work: work, loads: self).run())
            }
        }
    }

    /// Returns the encoded variant of a request.
    ///
    /// - Parameters:
    ///   - context: The load.
    ///   - encoder: The encoder.
    ///   - onJoin: Called with the status of the work, if the call waits for it.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func encodedVariant(
        for context: LoadContext,
        encoder: any ImageEncoder,
        onJoin: ((VariantStatus) -> Void)?
    ) async throws -> EncodedVariant {
        try await sharingUnlessRefused(context) { context, onStart in
            let request = context.request
            let now = stages.configuration.timeSource.now()
            return try await encodedVariants.value(
                for: key(of: context),
                of: context,
                priority: context.priority,
                atMost: context.deadline?.remaining,
                ofCall: context.deadline?.limit,
                since: newestLoad(for: context),
                accepts: { mayTake($0, for: context, at: now) },
                onShare: { stages.notify { $0.didJoin(request) } },
                onJoin: onJoin
            ) { work in
                onStart()
                return try await EncodedJob(context, encodedBy: encoder, work: work, loads: self).run()
            }
        }
    }

    /// Returns the bytes for a request: from the stores, else from the loader.
    ///
    /// - Parameters:
    ///   - context: The load.
    ///   - recipe: The recipe for decoding the bytes before they are stored; `nil` to read only their header.
    ///   - onJoin: Called with the transfer.
    /// - Returns: The bytes.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func original(
        for context: LoadContext,
        decodedAs recipe: DecodeRecipe?,
        onJoin: ((Transfer) -> Void)?
    ) async throws -> Original {
        try await sharingUnlessRefused(context) { context, onStart in
            let request = context.request
            let now = stages.configuration.timeSource.now()
            var transfer: Transfer?
            var original = try await originals.value(
                for: OriginalKey(
                    source: context.source,
                    request: request,
                    renewal: stages.cache.renewal(of: ImageKey(context.source))
                ),
                of: context,
                priority: context.priority,
                atMost: context.deadline?.remaining,
                ofCall: context.deadline?.limit,
                since: newestLoad(for: context),
                accepts: { mayTake($0, for: context, at: now) },
                onShare: { stages.notify { $0.didJoin(request) } },
                onJoin: {
                    transfer = $0
                    onJoin?($0)
                }
            ) { [stages] work in
                onStart()
                return try await OriginalJob(context, decodedAs: recipe, work: work, stages: stages).run()
            }
            // Waited for once the permits and budgets have been released. A store has stale bytes already.
            if request.waitsForStore, !original.isStale { original.storing = transfer }
            return original
        }
    }

    /// True if any call waits for work.
    var isRunning: Bool { variants.waiterCount + encodedVariants.waiterCount + originals.waiterCount > 0 }

    /// The requests whose work calls wait for.
    var requests: [ImageRequest] {
        Array(Set(variants.subjects + encodedVariants.subjects + originals.subjects))
    }

    /// Cancels all work that calls wait for.
    func cancelAll() {
        variants.cancelAll()
        encodedVariants.cancelAll()
        originals.cancelAll()
    }

    /// Cancels unfinished work, then waits within the grace period for pending writes, and for the loader and
    /// the stores to close.
    ///
    /// - Throws: The error of a store; ``LoadError`` of the stage `store` if the wait ended before the
    ///   writes, or before all was closed.
    func shutDown() async throws {
        let configuration = stages.configuration
        let end = ContinuousClock.now + configuration.shutdownGrace
        variants.close()
        encodedVariants.close()
        originals.close()
        let isIdle = await untilIdle(end)
        stages.sources.encodedMemory.removeAll()
        // Separate tasks, because any of them may hang, or wait for a write that does.
        let loader = Task { await configuration.loader.shutdown() }
        let stores = [
            Task { try await configuration.partialStore?.close() },
            Task { try await configuration.cache.close() },
        ]
        do {
            try await StoreQueries(atMost: end - .now).answer {
                await loader.value
                for store in stores { _ = await store.result }
                for store in stores { try await store.value }
            }
        } catch is StoreSlowError {
            throw LoadError.storeBusy
        } catch is CancellationError {
            // Aborts the loads of other users of the loader.
            loader.cancel()
            throw LoadError.storeBusy
        }
        guard isIdle else { throw LoadError.storeBusy }
    }

    /// Waits until all work has ended, or until an instant.
    ///
    /// - Returns: True if all work has ended.
    private func untilIdle(_ end: ContinuousClock.Instant) async -> Bool {
        var isIdle = await variants.untilIdle(atMost: end - .now)
        isIdle = await encodedVariants.untilIdle(atMost: end - .now) && isIdle
        return await originals.untilIdle(atMost: end - .now) && isIdle
    }

    /// Returns the parameters that determine a variant at the moment.
    func key(of context: LoadContext) -> VariantKey {
        let (key, cache) = (context.identity.key, stages.cache)
        return VariantKey(
            key: key,
            request: context.request,
            renewal: max(cache.renewal(of: key), cache.renewal(of: ImageKey(context.source)))
        )
    }

    /// Returns the number of the load that brought the newest known content, if the request considers
    /// content.
    private func newestLoad(for context: LoadContext) -> Int {
        guard context.request.heedsContent else { return 0 }
        return stages.sources.validations[ImageKey(context.source)]?.loadNumber ?? 0
    }

    /// True if a variant that is being written may be delivered to a request; called with a lock held.
    private func mayTake(_ variant: EncodedVariant, for context: LoadContext, at now: Timestamp) -> Bool {
        let (request, source, sources) = (context.request, context.source, stages.sources)
        let isStale = variant.encoded.isStale
        return sources.isCurrent(variant.cacheability, of: source, for: request)
            && sources.isUsable(source, for: request, request.variantAccess, at: now, isValidating: isStale)
    }

    /// True if an original that is being written or validated may be delivered to a request; called with a
    /// lock held.
    private func mayTake(_ original: Original, for context: LoadContext, at now: Timestamp) -> Bool {
        let (request, source, sources) = (context.request, context.source, stages.sources)
        guard sources.isCurrent(original.cacheability, of: source, for: request) else { return false }
        let access = request.cachePolicy.original
        if let end = original.standsInUntil {
            return access.reads && now <= end
        }
        return sources.isUsable(source, for: request, access, at: now, isValidating: original.isStale)
    }

    /// Shares work with other requests, and works alone if theirs was refused.
    ///
    /// With a filter of identities (``Configuration/sourceIdentity``) they may have used another URL, whose
    /// signature has expired.
    ///
    /// - Parameters:
    ///   - context: The load.
    ///   - work: Does the work; calls its closure argument if no other request has started it.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`.
    private func sharingUnlessRefused<Value>(
        _ context: LoadContext,
        _ work: (LoadContext, _ onStart: @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        guard stages.configuration.sourceIdentity != nil, !context.request.isAskedAlone else {
            return try await work(context) {}
        }
        let isStarter = Guarded(false)
        do {
            return try await work(context) { isStarter.withLock { $0 = true } }
        } catch let error as LoadError where error.isRefusal && !isStarter.withLock(\.self) {
            var alone = context.request
            alone.isAskedAlone = true
            return try await work(context.replacing(alone)) {}
        }
    }
}

extension LoadError {
    /// True if the origin refuses this URL, and may allow another one of the same source.
    var isRefusal: Bool { [401, 403].contains((underlying as? FetchError)?.status) }
}
