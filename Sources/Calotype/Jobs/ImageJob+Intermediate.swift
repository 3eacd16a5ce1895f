internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeTransforms

/// Reuse of the results of other requests with the first transforms of a chain.
extension ImageJob {
    /// The maximum number of chain beginnings to look up.
    private static let beginningCountMax = 8

    /// A request for the first transforms of the chain, and the transforms that are left.
    private struct Beginning {
        let request: ImageRequest
        let identity: RequestIdentity
        let rest: TransformChain
    }

    /// Returns the image, made from the result of a request with the first transforms, in memory or in
    /// progress.
    ///
    /// - Returns: `nil` if there is no such result.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func madeOfIntermediate() async throws -> (LoadedImage, Cacheability)? {
        guard request.cachePolicy.variant.reads, request.transforms.steps.count > 1, !request.alwaysValidates
        else { return nil }
        try request.validateTransforms()
        let beginnings = beginnings
        for beginning in beginnings {
            if let image = pipeline.residentImage(beginning.identity, for: beginning.request) {
                return try await finish(LoadedImage(image: image, source: .memory), beginning)
            }
        }
        // The HTTP freshness of an original in progress is not known here.
        guard !request.heedsContent, let beginning = beginnings.first(where: isAtWork) else { return nil }
        let loaded = try await pipeline.variant(
            of: beginning.request,
            beginning.identity,
            priority: context.priority
        ) { [pipeline, request, context] status in
            status.onTransfer { context.progress.follow($0, makePreviews: pipeline.previewMaking(request)) }
        }
        return try await finish(loaded, beginning)
    }

    /// The beginnings of the chain, longest first.
    ///
    /// Each has all steps that determine the decode size, so that the result equals that of one pass.
    private var beginnings: [Beginning] {
        let chain = request.transforms
        let least = request.decoding.target == .full ? max(1, chain.decodeGeometry.steps.count) : 1
        let counts = (least..<max(least, chain.steps.count)).suffix(Self.beginningCountMax)
        return counts.reversed().map { count in
            let (first, rest) = chain.split(after: count)
            var beginning = request
            beginning.transforms = first
            let identity = RequestIdentity(source: identity.source, variant: beginning.variantIdentity)
            return Beginning(request: beginning, identity: identity, rest: rest)
        }
    }

    private func isAtWork(_ beginning: Beginning) -> Bool {
        pipeline.variants.isRunning(pipeline.key(of: beginning.request, beginning.identity))
    }

    private func finish(
        _ loaded: LoadedImage,
        _ beginning: Beginning
    ) async throws -> (LoadedImage, Cacheability) {
        var result = loaded
        let image = loaded.image
        result.image = try await pipeline.transform(image, by: beginning.rest, request, context.priority)
        return (result, Cacheability(intermediate: Cacheability.Intermediate(beginning.identity.key, image)))
    }
}
