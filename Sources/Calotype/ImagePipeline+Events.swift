internal import CalotypeCodecs
public import CalotypeLoading
public import FoundationEssentials

/// Loads with events, loads as objects, and loads in advance.
extension ImagePipeline {
    /// Returns the events of a load: progress and previews while bytes arrive, then the result.
    ///
    /// With ``CachePolicy/cachedThenFresh`` the cached image comes first, as a preview, even without other
    /// previews. The result always follows; if nothing has changed, it is the same image.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    ///   - previews: True to decode bytes as they arrive, which costs up to the time of a second decode; true
    ///     unless set.
    /// - Returns: The events; the load starts with the first one requested.
    public func events(
        for request: ImageRequest,
        priority: LivePriority? = nil,
        previews: Bool = true
    ) -> ImageEvents {
        ImageEvents { EventFeed.start(request, in: self, priority: priority, wantsPreviews: previews) }
    }

    /// Returns the events of a load from a URL: progress and previews while bytes arrive, then the result.
    public func events(for url: URL) -> ImageEvents {
        events(for: ImageRequest(url: url))
    }

    /// Begins a load, and returns it as an object.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - previews: True to decode bytes as they arrive, for ``ImageTask/events``; false unless set.
    /// - Returns: The load.
    public func task(for request: ImageRequest, previews: Bool = false) -> ImageTask {
        ImageTask(request) {
            EventFeed.start(request, in: self, priority: $0, wantsPreviews: previews)
        }
    }

    /// Loads images that may be needed later, a few at a time, with low priority.
    ///
    /// Requests are taken from the sequence as their turn comes, so there may be any number of them. A
    /// failure does not end the other loads. Each request's policy applies, except that results are always
    /// cached at the destination.
    ///
    /// - Parameters:
    ///   - requests: The requests; equal ones are loaded once.
    ///   - destination: The destination of the results; memory unless given.
    ///   - maxConcurrency: The maximum number of concurrent loads; 3 unless given.
    ///   - priority: The priority of the loads, in place of the requests' own; low unless given.
    ///   - control: The control that pauses the prefetch and changes its priority; none unless given.
    ///   - progress: Called at the end of each request, one at a time, in the caller's isolation.
    /// - Returns: The numbers of loaded, skipped and failed requests.
    /// - Throws: `CancellationError` if the task is cancelled, which cancels all loads, or the pipeline is
    ///   shut down; `progress` is not called after that.
    /// - Precondition: `maxConcurrency` is at least 1.
    @discardableResult
    public func prefetch(
        _ requests: some Sequence<ImageRequest>,
        to destination: PrefetchDestination = .memory,
        maxConcurrency: Int = 3,
        priority: LoadPriority = .low,
        control: PrefetchControl? = nil,
        progress: (PrefetchStep) -> Void = { _ in }
    ) async throws -> PrefetchReport {
        precondition(maxConcurrency >= 1, "maxConcurrency must be at least 1")
        let live = control?.livePriority ?? LivePriority()
        live.value = priority
        let prefetcher = Prefetcher(
            pipeline: self,
            destination: destination,
            maxConcurrency: maxConcurrency,
            control: control,
            priority: live
        )
        return try await prefetcher.run(requests, progress: progress)
    }
}
