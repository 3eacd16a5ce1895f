import CalotypeCodecs
import CalotypeCore

/// Crops to a disc.
struct Circle: VipsTransform, SizeChanging {
    let border: Stroke?

    var cacheIdentity: String { Identity("circle").with(border).text }

    func validate() throws(TransformError) { try border?.validate() }

    func resultSize(of size: PixelSize) -> PixelSize {
        let side = min(size.width, size.height)
        return PixelSize(width: side, height: side)
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let square = resultSize(of: picture.size)
        let side = square.width
        let origin = Gravity.center.origin(of: square, in: picture.size)
        let middle = try picture.applying(
            .extract_area,
            [
                .integer("left", origin.x), .integer("top", origin.y),
                .integer("width", side), .integer("height", side),
            ]
        )
        return try RoundCorners(radii: CornerRadii(Double(side) / 2), border: border).applied(to: middle)
    }
}

extension TransformChain {
    /// Crops to the central square, as wide as the shorter side, and masks it to a disc.
    ///
    /// The left or upper one of two middle pixels is the centre. The result has alpha.
    ///
    /// - Parameter border: A line along the inside of the disc's edge; none by default.
    /// - Returns: The transform.
    public static func circle(border: Stroke? = nil) -> TransformChain {
        TransformChain(Circle(border: border))
    }
}
