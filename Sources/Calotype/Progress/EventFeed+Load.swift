internal import CalotypeLoading

extension EventFeed {
    /// Starts a load that fills a new feed.
    static func start(
        _ request: ImageRequest,
        in pipeline: ImagePipeline,
        priority: LivePriority?,
        wantsPreviews: Bool
    ) -> (EventFeed, Task<Void, Never>) {
        let configuration = pipeline.configuration
        let feed = EventFeed(interval: configuration.progressInterval, now: configuration.now)
        let task = Task {
            do {
                if let cached = try await pipeline.loads.cachedImage(for: request) {
                    feed.offer(cached: cached)
                }
                let loaded = try await pipeline.load(request, priority: priority) { status in
                    status.add(feed, wantsPreviews: wantsPreviews)
                }
                feed.finish(.success(loaded))
            } catch {
                feed.finish(.failure(error))
            }
        }
        return (feed, task)
    }
}
