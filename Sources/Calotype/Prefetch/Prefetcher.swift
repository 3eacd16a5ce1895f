internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading

/// Loads images in advance, a few at a time.
struct Prefetcher: Sendable {
    let pipeline: ImagePipeline
    let destination: PrefetchDestination
    let maxConcurrency: Int
    let control: PrefetchControl?
    let priority: LivePriority

    /// Loads the requests; `progress` is called at the end of each.
    func run(
        _ requests: some Sequence<ImageRequest>,
        progress: (PrefetchStep) -> Void
    ) async throws -> PrefetchReport {
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
                if destination == .memory, pipeline.residentImage(for: request) != nil {
                    try note(request, .skipped)
                    continue
                }
                if runningCount == maxConcurrency, let (request, outcome) = try await group.next() {
                    try note(request, outcome)
                    runningCount -= 1
                }
                group.addTask {
                    try await control?.untilResumed()
                    return (request, try await self.prefetchOne(request))
                }
                runningCount += 1
            }
            for try await (request, outcome) in group { try note(request, outcome) }
        }
        report.totalCount = report.finishedCount
        return report
    }

    private func prefetchOne(_ request: ImageRequest) async throws -> PrefetchOutcome {
        var request = request
        request.priority = priority.value
        do {
            return switch destination {
            case .memory: try await prefetchToMemory(request)
            case .disk: try await prefetchToDisk(request)
            }
        } catch let error as LoadError {
            return .failed(error)
        }
    }

    private func prefetchToMemory(_ request: ImageRequest) async throws -> PrefetchOutcome {
        var request = request
        request.cachePolicy.variant = request.cachePolicy.variant.filling
        if request.options.acceptsLargerImage { request.options.acceptsLargerImage = false }
        let source = try await pipeline.load(request, priority: priority).source
        return source == .memory ? .skipped : .loaded(from: source)
    }

    private func prefetchToDisk(_ request: ImageRequest) async throws -> PrefetchOutcome {
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
        let encoded = try await pipeline.data(for: request, priority: priority)
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
        let key =
            try await request.encoding == nil
            ? pipeline.originalKey(for: request) : pipeline.key(for: request)
        do {
            return try await pipeline.stages.isStored(key)
        } catch is LoadError {
            return false
        }
    }
}

extension CachePolicy.Access {
    /// The same access, with writing.
    fileprivate var filling: CachePolicy.Access { reads ? .readWrite : .writeOnly }
}
