import CalotypeCodecs
public import CalotypeCore

/// Crops to the most salient part (`vips_smartcrop`).
struct SmartCrop: PartFinding, ScalableTransform {
    let size: PixelSize

    var cacheIdentity: String { Identity("smartCrop").with("size", size).text }

    var keepsDepth: Bool { true }

    func validate() throws(TransformError) {
        try size.checkSides(of: "smart crop")
    }

    func resultSize(of size: PixelSize) -> PixelSize {
        self.size.clamped(to: size)
    }

    func scaled(from size: PixelSize, to newSize: PixelSize) -> any ScalableTransform {
        SmartCrop(size: PixelRect(resultSize(of: size)).scaled(from: size, to: newSize).size)
    }

    func part(of frame: Image) throws -> PixelRect {
        try validate()
        let part = resultSize(of: frame.size)
        guard part != frame.size else { return PixelRect(part) }
        let origin = try attentiveOrigin(of: part, in: frame)
        return PixelRect(x: origin.left, y: origin.top, width: part.width, height: part.height)
    }

    private func attentiveOrigin(
        of part: PixelSize,
        in frame: Image
    ) throws(TransformError) -> (left: Int, top: Int) {
        do throws(CodecFailure) {
            var picture = try VipsPicture(frame)
            // Invisible colours must not attract attention; against gray both dark and light colours do.
            if picture.hasAlpha { picture = try picture.applying(.flatten, [.numbers("background", [128])]) }
            return try picture.applying(
                .smartcrop,
                [
                    .integer("width", part.width), .integer("height", part.height),
                    .text("interesting", "attention"),
                ]
            ).origin
        } catch {
            throw TransformError(error)
        }
    }
}

extension TransformChain {
    /// Crops to the most salient part: skin, strong colours, much detail.
    ///
    /// A side longer than that of the image is clamped to it. For an animation the first frame decides.
    ///
    /// - Parameter size: Width and height in pixels, at least 1 each.
    /// - Returns: The transform.
    public static func smartCrop(to size: PixelSize) -> TransformChain {
        TransformChain(SmartCrop(size: size))
    }
}
