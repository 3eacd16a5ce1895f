internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import CalotypeTransforms
internal import FoundationEssentials

/// Codec work, in turn by priority; it stops when no caller waits or a limit is exceeded, and observers are
/// notified.
extension Stages {
    /// Decodes on a thread that may block.
    func decode(
        _ data: Data,
        as recipe: DecodeRecipe,
        for load: LoadContext
    ) async throws -> Original.Decoded {
        let making = try await load.clock.measure(\.queue, by: configuration.now) {
            try await admitted(data, as: recipe, for: load)
        }
        let isLarge = making?.isLarge == true
        return try await codecStep(
            .decode,
            of: load,
            isLarge: isLarge,
            byteCount: { _ in data.count }
        ) {
            let codecs = settings.codecs(for: load.request)
            decodeCount.withLock { $0 += 1 }
            return try await codecPool.decode(data, limits: recipe.options.limits) {
                var options = recipe.options
                var fullSize: PixelSize?
                if !recipe.geometry.isEmpty {
                    let info = try codecs.info(of: data, limits: options.limits, pages: options.pages)
                    let isAnimation = info.frameCount > 1 && options.frames == .all
                    if !recipe.skipsAnimations || !isAnimation {
                        if let plan = recipe.decodePlan(for: info) { options = plan.options(options) }
                        fullSize = recipe.shownSize(info)
                    }
                }
                let image = try codecs.decode(data, options: options)
                return Original.Decoded(recipe: recipe, image: image, fullSize: fullSize, making: making)
            }
        }
    }

    /// Reads a header on a thread that may block; observers are not notified.
    func info(
        of data: Data,
        limits: DecodeLimits,
        pages: PageSelection? = nil,
        for load: LoadContext
    ) async throws -> ImageInfo {
        let isDrawing = ImageFormat(sniffing: data) == .svg
        let turn = try await self.limits.codecTurn(load.priority, isLarge: isDrawing)
        defer { turn.end() }
        let codecs = settings.codecs(for: load.request)
        return try await codecPool.info(of: data, limits: limits, pages: pages, by: codecs)
    }

    /// Transforms a decoded image on a thread that may block.
    func transform(
        _ decoded: Original.Decoded,
        for load: LoadContext
    ) async throws -> Image {
        let (image, request) = (decoded.image, load.request)
        guard !request.transforms.isEmpty else { return image }
        let place = settings.codecs(for: request).transformPlace
        let isLarge = decoded.making?.isLarge == true
        return try await codecStep(.transform, of: load, isLarge: isLarge, byteCount: \.cost) {
            try await codecPool.runStoppable {
                let chain = try decoded.fullSize.map { size in
                    try request.transforms.decodePlan(for: size).transforms(forDecoded: image.size)
                }
                return try (chain ?? request.transforms).applied(to: image, at: place)
            }
        }
    }

    /// Applies the rest of a request's transforms to an image, on a thread that may block.
    func transform(
        _ image: Image,
        by rest: TransformChain,
        for load: LoadContext
    ) async throws -> Image {
        let place = settings.codecs(for: load.request).transformPlace
        return try await codecStep(.transform, of: load, byteCount: \.cost) {
            try await codecPool.runStoppable { try rest.applied(to: image, at: place) }
        }
    }

    /// Encodes on a thread that may block.
    func encode(
        _ image: Image,
        as encoder: any ImageEncoder,
        for load: LoadContext,
        isLarge: Bool = false
    ) async throws -> Data {
        let codecs = settings.codecs(for: load.request)
        let encoder = codecs.placed(encoder)
        let mapEncoder = codecs.placed(JPEGEncoder(quality: 85))
        return try await codecStep(.encode, of: load, isLarge: isLarge, byteCount: \.count) {
            try await codecPool.runStoppable {
                let data = try encoder.encode(image)
                return try image.metadata.gainMap?.joined(to: data, encoding: mapEncoder.encode) ?? data
            }
        }
    }

    /// Removes metadata from encoded bytes on a codec thread.
    func strippingMetadata(from data: Data, keeping kept: RetainedMetadata) async throws -> Data {
        do {
            let codecs = codecPool.codecs
            return try await compute { try codecs.strippingMetadata(from: data, keeping: kept) }
        } catch let error as DecodeError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    private func codecStep<Value>(
        _ stage: LoadError.Stage,
        of load: LoadContext,
        isLarge: Bool = false,
        byteCount: (Value) -> Int,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await load.clock.measure(stage.timing, by: configuration.now) {
            try await step(stage, of: load.request, byteCount: byteCount) {
                let turn = try await limits.codecTurn(load.priority, isLarge: isLarge)
                defer { turn.end() }
                return try await body()
            }
        }
    }
}

extension LoadError.Stage {
    /// The timing that the duration of the stage is added to.
    fileprivate var timing: any WritableKeyPath<StageTimings, Duration> & Sendable {
        switch self {
        case .decode: \.decode
        case .transform: \.transform
        case .encode: \.encode
        default: \.fetch
        }
    }
}

extension TransformChain {
    /// Returns the result with the format of the image, in which it may have to be encoded.
    fileprivate func applied(to image: Image, at place: (any TransformProcesses)?) throws -> Image {
        var result = try apply(to: image, at: place)
        if let map = image.metadata.gainMap, !(skipsAnimations && image.animation != nil) {
            var metadata = result.metadata
            metadata.gainMap = gainMap(map, of: image.size, to: result.size, at: place)
            result = result.replacing(animation: result.animation, metadata: metadata)
        }
        guard result.format == nil else { return result }
        return result.replacing(animation: result.animation, format: image.format)
    }
}

extension ImageRequest {
    /// Validates the transforms before anything is loaded.
    func validateTransforms() throws(LoadError) {
        do {
            try transforms.validate()
        } catch {
            throw LoadError(stage: .transform, underlying: error)
        }
    }
}
