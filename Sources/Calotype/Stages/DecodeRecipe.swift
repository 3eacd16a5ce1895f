internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeTransforms

/// How the bytes of an original become the image that a request's transforms begin with.
struct DecodeRecipe: Hashable, Sendable {
    let options: DecodeOptions

    /// The first transforms, where they leave so little of the image that it is decoded small.
    var geometry: TransformChain = []

    /// Whether the transforms leave animations as they are, whose frames are then decoded as they are too.
    var sparesAnimations = false

    init(_ options: DecodeOptions) {
        self.options = options
    }

    init(_ request: ImageRequest) {
        options = request.decoding
        if options.target == .full { geometry = request.transforms.decodeGeometry }
        sparesAnimations = request.transforms.sparesAnimations && !geometry.isEmpty
    }

    /// The size of an image as the transforms see it.
    func shownSize(_ info: ImageInfo) -> PixelSize {
        options.appliesOrientation ? info.displaySize : info.size
    }

    /// How large to decode an image with this header; `nil` where the transforms cannot be applied
    /// to it, which is told when they are.
    func decodeTarget(for info: ImageInfo) -> DecodeOptions.Target? {
        do {
            return try geometry.decodePlan(for: shownSize(info), isDrawn: info.format == .svg).target
        } catch {
            return nil
        }
    }
}
