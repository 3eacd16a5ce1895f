package import CalotypeLoading

/// Running loads, pauses, and snapshots for gauges.
extension ImagePipeline {
    /// True if any call waits for work.
    public var isRunning: Bool { loads.isRunning }

    /// The requests whose work calls wait for: one for each piece of work, that of the call that started it.
    public var runningRequests: [ImageRequest] { loads.requests }

    /// Pauses new requests to loaders, for one host or all.
    ///
    /// Requests already given to a loader continue, even if they wait in the loader's own queue, which other
    /// pipelines may share. Paused loads fail only if they exceed their own time limit; caches are used as
    /// usual.
    ///
    /// - Parameter host: The host of a URL, such as `images.example.org`; all hosts unless given.
    public func pauseLoading(from host: String? = nil) {
        stages.pauseGate.pause(host)
    }

    /// Resumes loads that ``pauseLoading(from:)`` with the same argument has paused.
    ///
    /// - Parameter host: The host; ends the pause of all hosts unless given. A host that was paused
    ///   separately stays paused.
    public func resumeLoading(from host: String? = nil) {
        stages.pauseGate.resume(host)
    }

    /// Returns true if loading is paused, for all hosts or for one.
    ///
    /// - Parameter host: The host; the pause of all hosts unless given.
    /// - Returns: True if ``pauseLoading(from:)`` was called with the same argument and not undone.
    public func isLoadingPaused(from host: String? = nil) -> Bool {
        stages.pauseGate.isPaused(host)
    }

    /// Cancels every load in progress; later loads work as usual.
    ///
    /// Each cancelled call throws `CancellationError` once. So does a prefetch, and a slot shows no image. A
    /// call that has its result and only waits for the write continues.
    public func cancelAll() {
        loads.cancelAll()
    }

    /// A snapshot of the current activity; takes some locks for an instant each.
    public var activity: PipelineActivity { stages.activity }

    /// The bytes of the encoded images in memory, and their limit.
    package var encodedMemoryLevel: (cost: Int, limit: Int) {
        (stages.sources.encodedMemory.statistics.cost, configuration.encodedCostLimit)
    }

    /// The number of encoded images evicted from memory because of the limits.
    package var encodedEvictionCount: Int { stages.sources.encodedMemory.statistics.evictionCount }

    /// The numbers of images in progress and waiting.
    public var workload: Workload { stages.workload }

    /// Returns the HTTP record of a request's original, if it is in memory.
    package func record(of request: ImageRequest) -> ResponseRecord? { stages.sources.record(of: request) }

    /// True if the encoded variant of a request is cached, so that nothing has to be encoded.
    ///
    /// A variant of older content is encoded again all the same.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The time limit of the search, including that for examining a local file.
    /// - Returns: Whether the variant is cached.
    /// - Throws: ``LoadError`` if a store cannot be queried in time, or `CancellationError`.
    package func keepsVariant(of request: ImageRequest, within limit: Duration) async throws -> Bool {
        let deadline = CallDeadline(after: limit)
        let key = try await stages.identity(of: request, within: limit).key
        if stages.sources.encodedMemory[key] != nil { return true }
        let failure: @Sendable () -> any Error = { LoadError.timedOut(after: limit, in: "cache") }
        return try await withTimeLimit(deadline.remaining, failure: failure) { [stages] in
            try await stages.isStored(key)
        }
    }
}
