internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeTransforms

/// The decode options of an original, and the first transforms, which may reduce the decode size.
struct DecodeRecipe: Hashable, Sendable {
    let options: DecodeOptions

    /// The first transforms, if they reduce the image so much that it is decoded small.
    var geometry: TransformChain = []

    /// True if the transforms spare animations, whose frames are then decoded unchanged.
    var skipsAnimations = false

    init(_ options: DecodeOptions) {
        self.options = options
    }

    init(_ request: ImageRequest) {
        options = request.decoding
        if options.target == .full { geometry = request.transforms.decodeGeometry }
        skipsAnimations = request.transforms.skipsAnimations && !geometry.isEmpty
    }

    /// Returns the size of an image as the transforms see it.
    func shownSize(_ info: ImageInfo) -> PixelSize {
        options.appliesOrientation ? info.displaySize : info.size
    }

    /// Returns the decode target for an image with this header; `nil` if the transforms cannot be applied,
    /// which is reported when they are.
    func decodeTarget(for info: ImageInfo) -> DecodeOptions.Target? { decodePlan(for: info)?.target }

    func decodePlan(for info: ImageInfo) -> DecodeTargetPlan? {
        do {
            return try geometry.decodePlan(for: shownSize(info), isDrawn: info.format == .svg)
        } catch {
            return nil
        }
    }
}
