internal import CalotypeCore
internal import CalotypeLoading

/// Decoded images: from memory, else from shared work.
extension SharedLoads {
    /// Returns the call of all interceptors, after which the shared work runs.
    func intercepted(
        _ priority: LivePriority?,
        _ onJoin: (@Sendable (VariantStatus) -> Void)? = nil,
        budget: OriginalBudget? = nil
    ) -> InterceptedLoad {
        InterceptedLoad(
            stages.configuration.interceptors[...],
            image: { try await self.image(for: $0, priority: priority, onJoin: onJoin) },
            data: { try await self.encodedImage(for: $0, priority: priority, budget: budget) }
        )
    }

    /// Returns the image from memory, or loads it.
    ///
    /// - Parameters:
    ///   - request: The request, after the interceptors.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    ///   - onJoin: Called with the status of the work, if the call waits for it.
    /// - Returns: The image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func image(
        for request: ImageRequest,
        priority: LivePriority?,
        onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        let (identity, deadline) = try await identified(request)
        if let hit = residentImage(identity, for: request) { return hit }
        return try await missed(request, identity, until: deadline, priority: priority, onJoin: onJoin)
    }

    /// Returns the image from memory, if it is there and the request may use it.
    func residentImage(_ identity: RequestIdentity, for request: ImageRequest) -> LoadedImage? {
        guard let image = stages.sources.residentImage(identity, for: request) else { return nil }
        return request.modified(LoadedImage(image: image, source: .memory))
    }

    /// Returns the identity of a request, and the deadline of the call if it has waited.
    ///
    /// A hit in memory has none, because reading the clock would take part of its time.
    func identified(_ request: ImageRequest) async throws -> (RequestIdentity, CallDeadline?) {
        if let identity = stages.settings.identityAtOnce(of: request) { return (identity, nil) }
        let deadline = stages.settings.deadline(of: request)
        return (try await stages.identity(of: request, within: deadline.remaining), deadline)
    }

    /// Loads an image that was not found in memory.
    func missed(
        _ request: ImageRequest,
        _ identity: RequestIdentity,
        until deadline: CallDeadline?,
        priority: LivePriority?,
        onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        if let larger = stages.sources.largerImage(identity, for: request) { return request.modified(larger) }
        let priority = priority ?? LivePriority(request.priority)
        let deadline = deadline ?? stages.settings.deadline(of: request)
        let context = LoadContext(request, identity, priority: priority, deadline: deadline)
        if request.cachePolicy.variant.reads, isUsedStale(context),
            let image = stages.sources.currentImage(identity.key, of: identity.source)
        {
            var stale = LoadedImage(image: image, source: .memory)
            stale.isStale = true
            return request.modified(stale)
        }
        return request.modified(try await variant(for: context, onJoin: onJoin))
    }

    /// True if what is cached of a stale source is used without a query, because one behind a stale image has
    /// failed of late.
    func isUsedStale(_ context: LoadContext) -> Bool {
        guard let known = stages.sources.validations[ImageKey(context.source)] else { return false }
        guard stages.failures.hasFailedBehind(context) else { return false }
        let isFailing = stages.failures.isOriginFailing(context)
        return stages.sources.mayStandIn(known, for: context.request, isFailing: isFailing)
    }

    /// Returns the cached image for a request that always validates; `nil` for all other requests.
    ///
    /// - Throws: `CancellationError`; all other errors are left to the load.
    func cachedImage(for request: ImageRequest) async throws -> Image? {
        // An interceptor may change the request in ways unknown here.
        guard request.alwaysRevalidates, stages.configuration.interceptors.isEmpty else { return nil }
        var cached = request
        cached.cachePolicy.alwaysRevalidates = false
        cached.cachePolicy.allowsLoading = false
        // The age does not matter, because the current image follows.
        cached.httpCaching = .ignoresHTTP
        cached.waitsForStore = false
        do {
            let (identity, begun) = try await identified(cached)
            if let image = stages.sources.residentImage(identity, for: cached) {
                return request.modified(image)
            }
            let (priority, deadline) = (
                LivePriority(request.priority), begun ?? stages.settings.deadline(of: cached)
            )
            let context = LoadContext(cached, identity, priority: priority, deadline: deadline)
            let loaded = try await variant(for: context, onJoin: nil)
            return request.modified(loaded.image)
        } catch is LoadError {
            return nil
        }
    }
}
