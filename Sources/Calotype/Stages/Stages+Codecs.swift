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
                    let info = try codecs.info(
                        of: data,
                        limits: options.limits,
                        pages: options.pages,
                        frames: options.frames
                    )
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
        frames: FrameSelection = .all,
        for load: LoadContext
    ) async throws -> ImageInfo {
        let isDrawing = ImageFormat(sniffing: data) == .svg
        let turn = try await self.limits.codecTurn(load.priority, isLarge: isDrawing)
        defer { turn.end() }
        let codecs = settings.codecs(for: load.request)
        return try await codecPool.info(of: data, limits: limits, pages: pages, frames: frames, by: codecs)
    }

    /// Transforms a decoded image on a thread that may block.
    ///
    /// - Parameters:
    ///   - decoded: The image.
    ///   - making: The right to process it, which gets more pixels for a result larger than expected.
    ///   - load: The load.
    /// - Returns: The transformed image.
    /// - Throws: The error of a transform, or `CancellationError`.
    func transform(
        _ decoded: Original.Decoded,
        within making: Making?,
        for load: LoadContext
    ) async throws -> Image {
        let (image, transforms) = (decoded.image, load.request.transforms)
        guard !transforms.isEmpty else { return image }
        return try await transform(image, within: making, for: load) {
            try decoded.fullSize.map { size in
                try transforms.decodePlan(for: size).transforms(forDecoded: image.size)
            } ?? transforms
        }
    }

    /// Applies the rest of a request's transforms to an image in memory, on a thread that may block.
    func transform(
        _ image: Image,
        by rest: TransformChain,
        for load: LoadContext
    ) async throws -> Image {
        let making = try await admitted(image, by: rest, for: load)
        defer { making?.end() }
        return try await transform(image, within: making, for: load) { rest }
    }

    /// Applies transforms; after one whose result has an unexpected size, it first waits for more pixels.
    private func transform(
        _ image: Image,
        within making: Making?,
        for load: LoadContext,
        _ chain: () throws -> TransformChain
    ) async throws -> Image {
        let place = settings.codecs(for: load.request).transformPlace
        return try await load.clock.measure(\.transform, by: configuration.now) {
            try await step(.transform, of: load.request, byteCount: \.cost) {
                var (result, pending) = (image, try chain())
                repeat {
                    let plan = pending.sizePlan(from: result.size, isDrawn: result.format == .svg)
                    let size = WorkSize(plan, of: result)
                    if plan.maxPixelCount > result.size.pixelCount {
                        try await making?.grow(to: size.byteCount)
                    }
                    let isLarge = making?.isLarge == true || size.isLarge
                    let turn = try await limits.codecTurn(load.priority, isLarge: isLarge)
                    defer { turn.end() }
                    result = try await codecPool.runStoppable { [result] in
                        try plan.leading.applied(to: result, at: place)
                    }
                    pending = plan.rest
                } while !pending.isEmpty
                return result
            }
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
        let image = image.bufferingFewFrames()
        return try await codecStep(
            .encode,
            of: load,
            isLarge: isLarge || image.isLarge,
            byteCount: \.count
        ) {
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

extension Image {
    /// The bytes of frames that an encode keeps: an encoder reads frames in order, and seldom again.
    static let encodedFramesByteCount = 8 << 20

    /// Returns the image with a cache of its own for few frames: in the shared one all of them would stay
    /// until the end of the encode.
    fileprivate func bufferingFewFrames() -> Image {
        guard let animation, !animation.areAllFramesLoaded else { return self }
        let budget = FrameBudget(maxByteCount: Self.encodedFramesByteCount)
        return replacing(animation: animation.buffered(in: budget))
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
