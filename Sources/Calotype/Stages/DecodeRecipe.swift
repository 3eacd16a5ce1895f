internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeTransforms
internal import FoundationEssentials

/// How the bytes of an original become the image that a request's transforms begin with.
struct DecodeRecipe: Hashable, Sendable {
    let options: DecodeOptions

    /// The first transforms, where they leave so little of the image that it is decoded small.
    var geometry: TransformChain = []

    init(_ options: DecodeOptions) {
        self.options = options
    }

    init(_ request: ImageRequest) {
        options = request.decoding
        if options.target == .full { geometry = request.transforms.decodeGeometry }
    }

    /// How large to decode an image of this size as it is shown; `nil` where the transforms cannot be applied
    /// to it, which is told when they are.
    func decodeTarget(for fullSize: PixelSize) -> DecodeOptions.Target? {
        do {
            return try geometry.decodePlan(for: fullSize).target
        } catch {
            return nil
        }
    }
}

/// What the codecs do, each in its turn by priority; for as long as somebody waits for it and the limits
/// allow, and told to the observers.
extension ImagePipeline {
    /// Decodes on a thread that may block.
    func decode(
        _ data: Data,
        _ recipe: DecodeRecipe,
        _ request: ImageRequest,
        _ priority: LivePriority,
        _ clock: StageClock = StageClock()
    ) async throws -> Original.Decoded {
        let lease = try await clock.measure(\.queue, by: configuration.now) {
            try await leaseToDecode(data, recipe, priority)
        }
        return try await codecStep(.decode, of: request, priority, clock, byteCount: { _ in data.count }) {
            let codecs = codecPool.codecs
            return try await codecPool.decode(data, limits: recipe.options.limits) {
                var options = recipe.options
                guard !recipe.geometry.isEmpty else {
                    return Original.Decoded(
                        recipe: recipe,
                        image: try codecs.decode(data, options: options),
                        lease: lease
                    )
                }
                let info = try codecs.info(of: data, limits: options.limits)
                let fullSize = options.appliesOrientation ? info.displaySize : info.size
                if let target = recipe.decodeTarget(for: fullSize) { options.target = target }
                let image = try codecs.decode(data, options: options)
                return Original.Decoded(recipe: recipe, image: image, fullSize: fullSize, lease: lease)
            }
        }
    }

    /// Reads a header on a thread that may block; tells nobody.
    func info(of data: Data, limits: DecodeLimits, _ priority: LivePriority) async throws -> ImageInfo {
        let permit = try await codecGate.enter(priority)
        defer { permit.end() }
        return try await codecPool.info(of: data, limits: limits)
    }

    /// Transforms what was decoded on a thread that may block.
    func transform(
        _ decoded: Original.Decoded,
        _ request: ImageRequest,
        _ priority: LivePriority,
        _ clock: StageClock = StageClock()
    ) async throws -> Image {
        let image = decoded.image
        guard !request.transforms.isEmpty else { return image }
        return try await codecStep(.transform, of: request, priority, clock, byteCount: \.cost) {
            try await codecPool.run {
                let chain = try decoded.fullSize.map { size in
                    try request.transforms.decodePlan(for: size).transforms(forDecoded: image.size)
                }
                let result = try (chain ?? request.transforms).apply(to: image)
                // It is still from a file of that format, in which it may have to be encoded.
                guard result.format == nil else { return result }
                return result.replacing(animation: result.animation, format: image.format)
            }
        }
    }

    /// Encodes on a thread that may block.
    func encode(
        _ image: Image,
        as encoder: any ImageEncoder,
        _ request: ImageRequest,
        _ priority: LivePriority,
        _ clock: StageClock = StageClock()
    ) async throws -> Data {
        try await codecStep(.encode, of: request, priority, clock, byteCount: \.count) {
            try await codecPool.run { try encoder.encode(image) }
        }
    }

    private func codecStep<Value>(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        _ priority: LivePriority,
        _ clock: StageClock,
        byteCount: (Value) -> Int,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await clock.measure(stage.timing, by: configuration.now) {
            try await step(stage, of: request, byteCount: byteCount) {
                let permit = try await codecGate.enter(priority)
                defer { permit.end() }
                return try await body()
            }
        }
    }
}

extension LoadError.Stage {
    /// Where its time is added.
    fileprivate var timing: any WritableKeyPath<StageTimings, Duration> & Sendable {
        switch self {
        case .decode: \.decode
        case .transform: \.transform
        case .encode: \.encode
        default: \.fetch
        }
    }
}

extension ImageRequest {
    /// Checks what can be checked before anything is loaded.
    func validateTransforms() throws(LoadError) {
        do {
            try transforms.validate()
        } catch {
            throw LoadError(stage: .transform, underlying: error)
        }
    }
}
