internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
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

extension ImagePipeline {
    /// Decodes on a thread that may block, for as long as somebody waits for it and the limits allow, and
    /// tells the observers.
    func decode(
        _ data: Data,
        _ recipe: DecodeRecipe,
        _ request: ImageRequest
    ) async throws -> Original.Decoded {
        try await step(.decode, of: request, byteCount: { _ in data.count }) {
            let codecs = cache.codecs
            return try await cache.runDecode(of: data, limits: recipe.options.limits) {
                var options = recipe.options
                guard !recipe.geometry.isEmpty else {
                    return Original.Decoded(
                        recipe: recipe,
                        image: try codecs.decode(data, options: options)
                    )
                }
                let info = try codecs.info(of: data, limits: options.limits)
                let fullSize = options.appliesOrientation ? info.displaySize : info.size
                if let target = recipe.decodeTarget(for: fullSize) { options.target = target }
                let image = try codecs.decode(data, options: options)
                return Original.Decoded(recipe: recipe, image: image, fullSize: fullSize)
            }
        }
    }

    /// Transforms what was decoded on a thread that may block, and tells the observers.
    func transform(_ decoded: Original.Decoded, _ request: ImageRequest) async throws -> Image {
        let image = decoded.image
        guard !request.transforms.isEmpty else { return image }
        return try await step(.transform, of: request, byteCount: \.cost) {
            try await cache.runBlocking {
                let chain = try decoded.fullSize.map { size in
                    try request.transforms.decodePlan(for: size).transforms(forDecoded: image.size)
                }
                return try (chain ?? request.transforms).apply(to: image)
            }
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
