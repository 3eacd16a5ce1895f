internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
public import CalotypeLoading

extension ImagePipeline {
    /// Loads images that may be needed later, a few at a time, with low priority.
    ///
    /// Requests are taken from the sequence as their turn comes, so there may be any number of them. A
    /// failure does not end the other loads. Each request's policy applies, except that results are always
    /// cached at the destination.
    ///
    /// - Parameters:
    ///   - requests: The requests; equal ones are loaded once.
    ///   - destination: The destination of the results; memory unless given.
    ///   - concurrencyMax: The maximum number of concurrent loads; 3 unless given.
    ///   - priority: The priority of the loads, in place of the requests' own; low unless given.
    ///   - control: The control that pauses the prefetch and changes its priority; none unless given.
    ///   - progress: Called at the end of each request, one at a time, in the caller's isolation.
    /// - Returns: The numbers of loaded, skipped and failed requests.
    /// - Throws: `CancellationError` if the task is cancelled, which cancels all loads, or the pipeline is
    ///   shut down; `progress` is not called after that.
    /// - Precondition: `concurrencyMax` is at least 1.
    @discardableResult
    public func prefetch(
        _ requests: some Sequence<ImageRequest>,
        to destination: PrefetchDestination = .memory,
        concurrencyMax: Int = 3,
        priority: LoadPriority = .low,
        control: PrefetchControl? = nil,
        progress: (PrefetchStep) -> Void = { _ in }
    ) async throws -> PrefetchReport {
        precondition(concurrencyMax >= 1, "concurrencyMax must be at least 1")
        let live = control?.livePriority ?? LivePriority()
        live.value = priority
        var report = PrefetchReport(totalCount: (requests as? any Collection)?.count)
        func note(_ request: ImageRequest, _ outcome: PrefetchOutcome) throws {
            // Outcomes that arrive with the cancellation are not reported.
            try Task.checkCancellation()
            report.count(outcome)
            progress(PrefetchStep(request: request, outcome: outcome, report: report))
        }
        try await withThrowingTaskGroup(of: (ImageRequest, PrefetchOutcome).self) { group in
            var runningCount = 0
            for request in requests {
                if destination == .memory, residentImage(for: request) != nil {
                    try note(request, .skipped)
                    continue
                }
                if runningCount == concurrencyMax, let (request, outcome) = try await group.next() {
                    try note(request, outcome)
                    runningCount -= 1
                }
                group.addTask {
                    try await control?.untilResumed()
                    return (request, try await self.prefetchOne(request, to: destination, live))
                }
                runningCount += 1
            }
            for try await (request, outcome) in group { try note(request, outcome) }
        }
        report.totalCount = report.finishedCount
        return report
    }

    private func prefetchOne(
        _ request: ImageRequest,
        to destination: PrefetchDestination,
        _ priority: LivePriority
    ) async throws -> PrefetchOutcome {
        var request = request
        request.priority = priority.value
        do {
            return switch destination {
            case .memory: try await prefetchToMemory(request, priority)
            case .disk: try await prefetchToDisk(request, priority)
            }
        } catch let error as LoadError {
            return .failed(error)
        }
    }

    private func prefetchToMemory(
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> PrefetchOutcome {
        var request = request
        request.cachePolicy.variant = request.cachePolicy.variant.filling
        if request.options.acceptsLarger { request.options.acceptsLarger = false }
        let source = try await load(request, priority: priority).source
        return source == .memory ? .skipped : .loaded(from: source)
    }

    private func prefetchToDisk(
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> PrefetchOutcome {
        guard request.isRemote || request.encoding != nil else { return .skipped }
        var request = request
        request.waitsForStore = true
        request.cachePolicy.variant = .none
        if request.encoding == nil {
            request = request.forOriginal
            request.cachePolicy.original = request.cachePolicy.original.filling
        } else {
            request.cachePolicy.variantOnDisk = request.variantAccess.filling
        }
        if try await isInStore(request) { return .skipped }
        let encoded = try await data(for: request, priority: priority)
        if let failure = encoded.storeFailure { return .failed(failure) }
        return encoded.source == .disk ? .skipped : .loaded(from: encoded.source)
    }

    /// True if a store has the result, so that its bytes need not be read.
    ///
    /// A store that cannot be queried is left to the load, which may continue without it.
    private func isInStore(_ request: ImageRequest) async throws -> Bool {
        let access = request.encoding == nil ? request.cachePolicy.original : request.variantAccess
        // If HTTP decides, the freshness has to be checked too.
        guard access.reads, !request.heedsContent else { return false }
        let key = try await request.encoding == nil ? originalKey(for: request) : self.key(for: request)
        do {
            return try await cache.contains(key, in: .disk)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }
}

extension CachePolicy.Access {
    /// The same access, with writing.
    fileprivate var filling: CachePolicy.Access { reads ? .readWrite : .writeOnly }
}
