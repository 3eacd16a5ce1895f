internal import CalotypeCore
internal import CalotypeLoading

extension ImagePipeline {
    /// What the caches have for a request that asks its origin in any case; `nil` for all other requests.
    ///
    /// - Throws: `CancellationError`; whatever else stands in the way, the load will meet.
    func cachedImage(for request: ImageRequest) async throws -> Image? {
        // What an interceptor makes of the request is not known here.
        guard request.alwaysValidates, configuration.interceptors.isEmpty else { return nil }
        var cached = request
        cached.cachePolicy.alwaysValidates = false
        cached.cachePolicy.allowsLoading = false
        // How old it is does not count here: what is new comes after it.
        cached.httpCaching = .ignoresHTTP
        cached.waitsForStore = false
        do {
            let identity = try await identity(of: cached)
            if let image = residentImage(identity, for: cached) { return request.modified(image) }
            let priority = LivePriority(request.priority)
            let loaded = try await variant(of: cached, identity, priority: priority, onJoin: nil)
            return request.modified(loaded.image)
        } catch is LoadError {
            return nil
        }
    }
}
