internal import CalotypeCore
internal import CalotypeLoading

extension ImagePipeline {
    /// Returns the cached image for a request that always validates; `nil` for all other requests.
    ///
    /// - Throws: `CancellationError`; all other errors are left to the load.
    func cachedImage(for request: ImageRequest) async throws -> Image? {
        // An interceptor may change the request in ways unknown here.
        guard request.alwaysValidates, configuration.interceptors.isEmpty else { return nil }
        var cached = request
        cached.cachePolicy.alwaysValidates = false
        cached.cachePolicy.allowsLoading = false
        // The age does not matter, because the current image follows.
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
