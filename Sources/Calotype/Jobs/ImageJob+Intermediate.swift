internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeTransforms

/// Reuse of the results of other requests with the first transforms of a chain.
extension ImageJob {
    /// The maximum number of chain beginnings to look up.
    private static let maxBeginningCount = 8

    /// A request for the first transforms of the chain, and the transforms that are left.
    private struct Beginning {
        let context: LoadContext
        let rest: TransformChain
    }

    /// Returns the image, made from the result of a request with the first transforms, in memory or in
    /// progress.
    ///
    /// - Returns: `nil` if there is no such result.
    /// - Throws: ``LoadError``, or `CancellationError`.
    func madeOfIntermediate() async throws -> MadeImage? {
        guard request.cachePolicy.variant.reads, request.transforms.steps.count > 1,
            !request.alwaysRevalidates
        else { return nil }
        try request.validateTransforms()
        let beginnings = beginnings
        let contentHash = stages.sources.validations[ImageKey(identity.source)]?.contentHash
        let isInserting = stages.sources.isInserting(identity.source)
        for beginning in beginnings where !isInserting {
            if let image = stages.sources.residentImage(
                beginning.context.identity,
                for: beginning.context.request
            ) {
                work.progress.noteLoad(stages.sources.loadNumber(of: contentHash, from: identity.source))
                return try await finish(
                    LoadedImage(image: image, source: .memory),
                    of: contentHash,
                    beginning
                )
            }
        }
        // The HTTP freshness of an original in progress is not known here.
        guard !request.heedsContent, let beginning = beginnings.first(where: isAtWork) else { return nil }
        let loaded = try await loads.variant(for: beginning.context) { self.followTransfer(of: $0) }
        return try await finish(loaded, of: contentHash, beginning)
    }

    /// The beginnings of the chain, longest first.
    ///
    /// Each has all steps that determine the decode size, so that the result equals that of one pass.
    private var beginnings: [Beginning] {
        let chain = request.transforms
        let least = request.decoding.target == .full ? max(1, chain.decodeGeometry.steps.count) : 1
        let counts = (least..<max(least, chain.steps.count)).suffix(Self.maxBeginningCount)
        return counts.reversed().map { count in
            let (first, rest) = chain.split(after: count)
            var beginning = request
            beginning.transforms = first
            let identity = RequestIdentity(source: identity.source, variant: beginning.variantIdentity)
            let context = LoadContext(beginning, identity, priority: context.priority)
            return Beginning(context: context, rest: rest)
        }
    }

    private func isAtWork(_ beginning: Beginning) -> Bool {
        loads.variants.isRunning(loads.key(of: beginning.context))
    }

    /// Applies the transforms that are left to an image of content that was known before it was obtained.
    private func finish(
        _ loaded: LoadedImage,
        of contentHash: UInt64?,
        _ beginning: Beginning
    ) async throws -> MadeImage {
        var result = loaded
        let image = loaded.image
        result.image = try await stages.transform(image, by: beginning.rest, for: context)
        let intermediate = Cacheability.Intermediate(beginning.context.identity.key, image)
        return MadeImage(
            loaded: result,
            cacheability: Cacheability(
                contentHash: contentHash,
                intermediate: intermediate
            )
        )
    }
}
