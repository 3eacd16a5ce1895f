import CalotypeCodecs
public import CalotypeCore

/// A line along the inside of the edges.
struct Border: VipsTransform {
    let stroke: Stroke

    var cacheIdentity: String {
        Identity("border").with("width", stroke.width).with("color", stroke.color).text
    }

    func validate() throws(TransformError) { try stroke.validate() }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let whole = RoundedRectangle(filling: picture.size, radii: CornerRadii(0))
        let inner = try VipsPicture(whole.inset(by: stroke.width).mask(picture.size))
        let kept = try inner.applying(.linear, [.numbers("a", [1 / 255.0]), .numbers("b", [0])])
        return try picture.painted(stroke.color, keeping: kept).rounded()
    }
}

extension TransformChain {
    /// Draws a line along the inside of the edges; the size is unchanged.
    ///
    /// With a fractional width, the innermost pixels of the line are translucent according to the fraction. A
    /// line wider than half the image covers all of it. The image stays visible under a translucent line.
    ///
    /// An opaque image stays opaque, and a gray one with a gray line stays gray.
    ///
    /// - Parameter stroke: The width, above 0 and at most 1,000,000 pixels, and the colour.
    /// - Returns: The transform.
    public static func border(_ stroke: Stroke) -> TransformChain {
        TransformChain(Border(stroke: stroke))
    }

    /// Draws a line along the inside of the edges, as ``border(_:)`` does.
    ///
    /// - Parameters:
    ///   - width: Above 0 and at most 1,000,000 pixels, may be fractional.
    ///   - color: The colour, which may be translucent.
    /// - Returns: The transform.
    public static func border(width: Double, color: RGBAColor) -> TransformChain {
        border(Stroke(width: width, color: color))
    }
}
