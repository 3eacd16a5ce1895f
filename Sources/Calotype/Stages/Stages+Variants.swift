internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeTransforms
internal import FoundationEssentials

extension Stages {
    /// Makes several encoded images of the bytes of one.
    func variants(_ variants: [ImageVariant], of data: Data, for context: LoadContext) async throws -> [Data]
    {
        let requests = try validated(variants, context.request)
        guard !variants.isEmpty else { return [] }
        let decoded = try await decode(data, serving: variants.map(\.transforms), for: context)
        decoded.making?.noteHolders(variants.count)
        let codecs = settings.codecs(for: context.request)
        let fallback = ImageEncoding(OriginalFormatEncoder(codecs: codecs))
        return try await withThrowingTaskGroup(of: (index: Int, data: Data).self) { group in
            var results = [Data](repeating: Data(), count: variants.count)
            // A variant that has not started holds no pixels.
            for (index, variantRequest) in requests.enumerated() {
                if index >= codecPool.maxConcurrency, let result = try await group.next() {
                    results[result.index] = result.data
                }
                let encoder = (variants[index].encoding ?? fallback).encoder
                group.addTask {
                    let context = context.replacing(variantRequest)
                    let making = try await self.inTurn(decoded.making, for: context, isAdmitted: true)
                    defer { making?.end() }
                    let image = try await self.transform(decoded, within: making, for: context)
                    let isLarge = decoded.making?.isLarge == true
                    return (index, try await self.encode(image, as: encoder, for: context, isLarge: isLarge))
                }
            }
            for try await result in group { results[result.index] = result.data }
            return results
        }
    }

    /// Returns the work of each variant as a request, for observers and transforms.
    func validated(_ variants: [ImageVariant], _ request: ImageRequest) throws -> [ImageRequest] {
        guard variants.count <= ImageVariant.maxCount else {
            let maximum = ImageVariant.maxCount
            let detail = "\(variants.count) variants in one call; the maximum is \(maximum)"
            throw LoadError(stage: .transform, underlying: TransformError(.limitExceeded, detail: detail))
        }
        return try variants.map { variant in
            var variantRequest = request
            variantRequest.transforms = variant.transforms
            try variantRequest.validateTransforms()
            return variantRequest
        }
    }

    private func decode(
        _ data: Data,
        serving chains: [TransformChain],
        for context: LoadContext
    ) async throws -> Original.Decoded {
        let request = context.request
        var options = request.decoding
        let shownSize: PixelSize
        do {
            let info = try await info(of: data, limits: request.decoding.limits, for: context)
            shownSize = DecodeRecipe(options).shownSize(info)
            let shared = try SharedDecodeTarget(chains, of: info, as: options)
            (options.target, options.light) = (shared.target, shared.light)
        } catch let error as DecodeError {
            throw LoadError(decoding: error)
        } catch let error as TransformError {
            throw LoadError(stage: .transform, underlying: error)
        }
        let decoded = try await decode(data, as: DecodeRecipe(options), for: context)
        guard request.decoding.target == .full, options.target != .full else { return decoded }
        return Original.Decoded(
            recipe: decoded.recipe,
            image: decoded.image,
            fullSize: shownSize,
            making: decoded.making
        )
    }
}
