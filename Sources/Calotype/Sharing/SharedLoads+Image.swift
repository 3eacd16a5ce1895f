internal import CalotypeCore
internal import CalotypeLoading

/// Decoded images: from memory, else from shared work.
extension SharedLoads {
    /// Returns the call of all interceptors, after which the shared work runs.
    func intercepted(
        _ priority: LivePriority?,
        _ onJoin: (@Sendable (VariantStatus) -> Void)? = nil
    ) -> InterceptedLoad {
        InterceptedLoad(
            stages.configuration.interceptors[...],
            image: { try await self.image(for: $0, priority: priority, onJoin: onJoin) },
            data: { try await self.encodedImage(for: $0, priority: priority) }
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
        let known = stages.settings.identityAtOnce(of: request)
        let identity = if let known { known } else { try await stages.identity(of: request) }
        if let image = stages.sources.residentImage(identity, for: request) {
            return request.modified(LoadedImage(image: image, source: .memory))
        }
        return try await missed(request, identity, priority: priority, onJoin: onJoin)
    }

    private func missed(
        _ request: ImageRequest,
        _ identity: RequestIdentity,
        priority: LivePriority?,
        onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        if let larger = stages.sources.largerImage(identity, for: request) { return request.modified(larger) }
        let priority = priority ?? LivePriority(request.priority)
        let context = LoadContext(request, identity, priority: priority)
        return request.modified(try await variant(for: context, onJoin: onJoin))
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
            let identity = try await stages.identity(of: cached)
            if let image = stages.sources.residentImage(identity, for: cached) {
                return request.modified(image)
            }
            let context = LoadContext(cached, identity, priority: LivePriority(request.priority))
            let loaded = try await variant(for: context, onJoin: nil)
            return request.modified(loaded.image)
        } catch is LoadError {
            return nil
        }
    }
}
