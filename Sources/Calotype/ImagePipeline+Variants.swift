internal import CalotypeCodecs
public import CalotypeCore
public import CalotypeLoading
public import CalotypeTransforms
public import FoundationEssentials

/// Several results of one decode.
extension ImagePipeline {
    /// Makes several encoded images of the bytes of one, such as the sizes of an upload, with one decode.
    ///
    /// The image is decoded at a size that serves all variants with pixels no worse than a decode for each
    /// would give: at the size of the largest if all others are of at most half its sides, else at twice its
    /// size, or whole. Transforms and encoders run on the pipeline's own threads, in turn with its loads, as
    /// many at once as the pool has threads. The frames of an animation are decoded when an encoder reaches
    /// them. Nothing is loaded, and nothing is cached.
    ///
    /// - Parameters:
    ///   - data: An encoded image; the limits of the options apply.
    ///   - variants: The results, at most ``ImageVariant/maximumCount``.
    ///   - decoding: The options of the decode. With a target other than `full`, that target is used.
    ///   - priority: The priority among the pipeline's loads.
    /// - Returns: The encoded images, in the order of the variants.
    /// - Throws: ``LoadError`` of the stages `decode`, `transform` and `encode`, of the first variant that
    ///   fails; the others are cancelled then. `CancellationError`.
    public func variants(
        of data: Data,
        _ variants: [ImageVariant],
        decoding: DecodeOptions = DecodeOptions(),
        priority: LoadPriority = .normal
    ) async throws -> [Data] {
        let request = ImageRequest(ofBytes: data, decoding, [])
        return try await observed(request, source: { _ in .data }) {
            try await encodedVariants(of: data, variants, request, LivePriority(priority))
        }
    }

    /// Makes several encoded images of the original of a request, with one load and one decode.
    ///
    /// The original comes from the caches or the loader and is cached by the request's policy. The request's
    /// transforms are applied before those of a variant, and its encoding is that of variants without one.
    /// The variants themselves are not cached; call ``data(for:priority:)`` with one request for each where
    /// they should be.
    ///
    /// - Parameters:
    ///   - request: The request for the original.
    ///   - variants: The results, at most ``ImageVariant/maximumCount``.
    /// - Returns: The encoded images, in the order of the variants.
    /// - Throws: As ``variants(of:_:decoding:priority:)``, and what ``data(for:priority:)`` throws.
    public func variants(for request: ImageRequest, _ variants: [ImageVariant]) async throws -> [Data] {
        let variants = variants.map {
            ImageVariant(request.transforms.appending($0.transforms), as: $0.encoding ?? request.encoding)
        }
        var work = request
        (work.transforms, work.encoding) = ([], nil)
        // Validated before anything is loaded.
        guard try !validated(variants, work).isEmpty else { return [] }
        var original = request.forOriginal
        original.encoding = nil
        let data = try await data(for: original).data
        return try await encodedVariants(of: data, variants, work, LivePriority(request.priority))
    }

    /// Applies transforms to an image on the pipeline's own threads, in turn with its loads.
    ///
    /// `TransformChain.apply(to:)` does the same and blocks its thread.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - transforms: The transforms.
    ///   - priority: The priority among the pipeline's loads.
    /// - Returns: The result; an animation stays one where every step applies to frames.
    /// - Throws: ``LoadError`` of the stage `transform`, or `CancellationError`.
    public func image(
        _ image: Image,
        applying transforms: TransformChain,
        priority: LoadPriority = .normal
    ) async throws -> Image {
        let request = ImageRequest(of: image, transforms)
        return try await observed(request, source: { _ in .data }) {
            try request.validateTransforms()
            guard !transforms.isEmpty else { return image }
            return try await transform(image, by: transforms, request, LivePriority(priority))
        }
    }

    /// Removes metadata from an encoded image on the pipeline's own threads, without decoding it; see
    /// `CodecRegistry.strippingMetadata(from:keeping:)`.
    ///
    /// - Parameters:
    ///   - data: The encoded image: JPEG, PNG, WebP or GIF.
    ///   - kept: The metadata to keep; by default the orientation alone.
    /// - Returns: The encoded image without the other metadata.
    /// - Throws: ``LoadError`` of the stage `decode`, or `CancellationError`.
    public func strippingMetadata(
        from data: Data,
        keeping kept: RetainedMetadata = RetainedMetadata()
    ) async throws -> Data {
        do {
            let codecs = codecPool.codecs
            return try await compute { try codecs.strippingMetadata(from: data, keeping: kept) }
        } catch let error as DecodeError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    private func encodedVariants(
        of data: Data,
        _ variants: [ImageVariant],
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> [Data] {
        let requests = try validated(variants, request)
        guard !variants.isEmpty else { return [] }
        let decoded = try await decode(data, serving: variants.map(\.transforms), request, priority)
        let fallback = ImageEncoding(OriginalFormatEncoder(codecs: codecs(for: request)))
        return try await withThrowingTaskGroup(of: (index: Int, data: Data).self) { group in
            var results = [Data](repeating: Data(), count: variants.count)
            // A variant that has not started holds no pixels.
            for (index, variantRequest) in requests.enumerated() {
                if index >= codecPool.concurrencyMax, let result = try await group.next() {
                    results[result.index] = result.data
                }
                let encoder = (variants[index].encoding ?? fallback).encoder
                group.addTask {
                    let image = try await self.transform(decoded, variantRequest, priority)
                    return (
                        index,
                        try await self.encode(
                            image,
                            as: encoder,
                            variantRequest,
                            priority,
                            isLarge: decoded.making?.isLarge == true
                        )
                    )
                }
            }
            for try await result in group { results[result.index] = result.data }
            return results
        }
    }

    /// Returns the work of each variant as a request, for observers and transforms.
    private func validated(_ variants: [ImageVariant], _ request: ImageRequest) throws -> [ImageRequest] {
        guard variants.count <= ImageVariant.maximumCount else {
            let maximum = ImageVariant.maximumCount
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
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> Original.Decoded {
        let limits = request.decoding.limits
        var options = request.decoding
        let shownSize: PixelSize
        do {
            let info = try await info(of: data, limits: limits, by: codecs(for: request), priority)
            shownSize = DecodeRecipe(options).shownSize(info)
            options.target = try SharedDecodeTarget(chains, of: info, as: options).target
        } catch let error as DecodeError {
            throw LoadError(decoding: error)
        } catch let error as TransformError {
            throw LoadError(stage: .transform, underlying: error)
        }
        let decoded = try await decode(data, DecodeRecipe(options), request, priority)
        guard request.decoding.target == .full, options.target != .full else { return decoded }
        return Original.Decoded(
            recipe: decoded.recipe,
            image: decoded.image,
            fullSize: shownSize,
            making: decoded.making
        )
    }
}
