import CalotypeCodecs
import CalotypeCore

/// Cuts the corners off along quarter circles.
struct RoundCorners: VipsTransform {
    let radii: CornerRadii
    let border: Stroke?

    var cacheIdentity: String { Identity("roundCorners").with(radii).with(border).text }

    func validate() throws(TransformError) {
        try radii.validate()
        try border?.validate()
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard !radii.areSquare else {
            guard let border else { return picture }
            return try Border(stroke: border).applied(to: picture)
        }
        let shape = RoundedRectangle(filling: picture.size, radii: radii)
        let mask = try VipsPicture(shape.mask(picture.size))
        guard let border else { return try picture.masked(by: mask).rounded() }
        let inner = try VipsPicture(shape.inset(by: border.width).mask(picture.size))
        // For a pixel on the outer edge, only the part within the shape is divided between border and image.
        let kept = try inner.applying(.divide, [.picture("right", mask)])
        return try picture.painted(border.color, keeping: kept).masked(by: mask).rounded()
    }
}

extension TransformChain {
    /// Rounds all corners by the same radius.
    ///
    /// Like ``roundCorners(_:border:)``; with a radius of half the shorter side or more, the ends are half
    /// circles.
    ///
    /// - Parameters:
    ///   - radius: In pixels, 0...1,000,000.
    ///   - border: A line along the inside of the new edge; none by default.
    /// - Returns: The transform.
    public static func roundCorners(radius: Double, border: Stroke? = nil) -> TransformChain {
        roundCorners(CornerRadii(radius), border: border)
    }

    /// Rounds the corners, each by its own radius.
    ///
    /// The alpha of each pixel is multiplied by its exact area within the shape. The result has alpha unless
    /// all radii are 0; the size is unchanged. If two radii are longer together than the side between them,
    /// all four are reduced by the same factor, as in CSS (Backgrounds and Borders Level 3, section 5.5).
    ///
    /// - Parameters:
    ///   - radii: In pixels, each 0...1,000,000.
    ///   - border: A line along the inside of the new edge, over the image; none by default.
    /// - Returns: The transform.
    public static func roundCorners(_ radii: CornerRadii, border: Stroke? = nil) -> TransformChain {
        TransformChain(RoundCorners(radii: radii, border: border))
    }
}
