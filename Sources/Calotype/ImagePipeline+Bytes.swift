internal import CalotypeCache
public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
public import CalotypeTransforms
public import FoundationEssentials

/// Work on data and images in memory, such as uploads; nothing is cached.
extension ImagePipeline {
    /// Decodes and transforms encoded bytes on the pipeline's own threads, in turn with its loads.
    ///
    /// - Parameters:
    ///   - data: The encoded image, which may be untrusted; the limits of the options apply.
    ///   - decoding: The options of the decode.
    ///   - transforms: The transforms to apply.
    ///   - priority: The priority among the pipeline's loads.
    /// - Returns: The image.
    /// - Throws: ``LoadError`` of the stages `decode` and `transform`, or `CancellationError`.
    public func image(
        from data: Data,
        decoding: DecodeOptions = DecodeOptions(),
        transforms: TransformChain = [],
        priority: LoadPriority = .normal
    ) async throws -> Image {
        let request = ImageRequest(ofBytes: data, decoding, transforms)
        return try await stages.observed(request, source: { _ in .data }) {
            try request.validateTransforms()
            let context = LoadContext(ofBytes: request, priority: LivePriority(priority))
            let decoded = try await stages.decode(data, as: DecodeRecipe(request), for: context)
            return try await stages.transform(decoded, within: decoded.making, for: context)
        }
    }

    /// Decodes and transforms encoded bytes on the calling thread, for a transform that needs another image.
    ///
    /// - Parameters:
    ///   - data: The encoded image, which may be untrusted; the limits of the options apply.
    ///   - decoding: The options of the decode.
    ///   - transforms: The transforms to apply.
    /// - Returns: The image.
    /// - Throws: ``LoadError`` of the stages `decode` and `transform`.
    package func imageAtOnce(
        from data: Data,
        decoding: DecodeOptions,
        transforms: TransformChain
    ) throws(LoadError) -> Image {
        stages.decodeCount.withLock { $0 += 1 }
        let codecs = stages.codecPool.codecs
        let image: Image
        do {
            image = try codecs.decode(data, options: decoding)
        } catch {
            throw LoadError(stage: .decode, underlying: error)
        }
        do {
            return try transforms.apply(to: image, at: codecs.transformPlace)
        } catch {
            throw LoadError(stage: .transform, underlying: error)
        }
    }

    /// Encodes an image on the pipeline's own threads, in turn with its loads.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - encoding: The encoding; by default the registry's choice for the image's own format.
    ///   - priority: The priority among the pipeline's loads.
    /// - Returns: The encoded image.
    /// - Throws: ``LoadError`` of the stage `encode`, or `CancellationError`.
    public func encode(
        _ image: Image,
        as encoding: ImageEncoding? = nil,
        priority: LoadPriority = .normal
    ) async throws -> Data {
        let request = ImageRequest(of: image)
        let encoder = encoding?.encoder ?? OriginalFormatEncoder(codecs: stages.codecPool.codecs)
        return try await stages.observed(request, source: { _ in .data }) {
            let context = LoadContext(ofBytes: request, priority: LivePriority(priority))
            return try await stages.encode(image, as: encoder, for: context)
        }
    }

    /// Makes several encoded images of the bytes of one, such as the sizes of an upload, with one decode.
    ///
    /// The image is decoded at a size that serves all variants with pixels no worse than a decode for each
    /// would give: at the size of the largest if all others are of at most half its sides, else at twice its
    /// size, or whole. Transforms and encoders run on the pipeline's own threads, in turn with its loads, as
    /// many at once as the pool has threads and the budget of pixels allows. The frames of an
    /// animation are decoded when an encoder reaches them. Nothing is loaded, and nothing is cached.
    ///
    /// - Parameters:
    ///   - data: An encoded image; the limits of the options apply.
    ///   - variants: The results, at most ``ImageVariant/maxCount``.
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
        return try await stages.observed(request, source: { _ in .data }) {
            let context = LoadContext(ofBytes: request, priority: LivePriority(priority))
            return try await stages.variants(variants, of: data, for: context)
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
    ///   - variants: The results, at most ``ImageVariant/maxCount``.
    /// - Returns: The encoded images, in the order of the variants.
    /// - Throws: As ``variants(of:_:decoding:priority:)``, and what ``data(for:priority:)`` throws.
    public func variants(for request: ImageRequest, _ variants: [ImageVariant]) async throws -> [Data] {
        let variants = variants.map {
            ImageVariant(request.transforms.appending($0.transforms), as: $0.encoding ?? request.encoding)
        }
        var work = request
        (work.transforms, work.encoding) = ([], nil)
        // Validated before anything is loaded.
        guard try !stages.validated(variants, work).isEmpty else { return [] }
        var original = request.forOriginal
        original.encoding = nil
        let context = LoadContext(ofBytes: work, priority: LivePriority(request.priority))
        return try await withData(for: original) {
            try await stages.variants(variants, of: $0.data, for: context)
        }
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
        return try await stages.observed(request, source: { _ in .data }) {
            try request.validateTransforms()
            guard !transforms.isEmpty else { return image }
            let context = LoadContext(ofBytes: request, priority: LivePriority(priority))
            return try await stages.transform(image, by: transforms, for: context)
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
        try await stages.strippingMetadata(from: data, keeping: kept)
    }

    /// Runs a computation on a codec thread, in turn with the codecs.
    ///
    /// - Throws: The error of the closure, or `CancellationError`.
    package func compute<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await stages.compute(body)
    }
}
