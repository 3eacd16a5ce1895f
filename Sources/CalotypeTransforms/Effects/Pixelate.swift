import CalotypeCodecs
import CalotypeCore

/// Squares of one colour each (`vips_shrink`, `vips_zoom`).
struct Pixelate: VipsTransform {
    /// The side of a square in pixels.
    let side: Int

    var cacheIdentity: String { Identity("pixelate").with("side", side).text }

    func validate() throws(TransformError) {
        guard (1...ResultLimit.maxSide).contains(side) else {
            throw .invalid("pixelate side \(side) is out of range; use 1...\(ResultLimit.maxSide) pixels")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let size = picture.size
        // A longer block would only repeat the mirrored image, at a cost without bound.
        let (across, down) = (min(side, size.width), min(side, size.height))
        guard across > 1 || down > 1 else { return picture }
        let columns = (size.width + across - 1) / across * across
        let rows = (size.height + down - 1) / down * down
        return try picture.mixing { picture throws(CodecFailure) in
            try picture.applying(.cast, [.text("format", "float")])
                .applying(
                    .embed,
                    [
                        .integer("x", 0), .integer("y", 0), .integer("width", columns),
                        .integer("height", rows), .text("extend", "mirror"),
                    ]
                )
                .applying(.shrink, [.number("hshrink", Double(across)), .number("vshrink", Double(down))])
                .applying(.zoom, [.integer("xfac", across), .integer("yfac", down)])
                .applying(
                    .extract_area,
                    [
                        .integer("left", 0), .integer("top", 0), .integer("width", size.width),
                        .integer("height", size.height),
                    ]
                )
        }
    }
}

extension TransformChain {
    /// Replaces each square of pixels by its mean colour.
    ///
    /// Squares begin at the top left corner. One that reaches over the right or bottom edge is completed by
    /// the mirrored image. A side longer than that of the image is reduced to it. Colours are weighted by
    /// alpha; the size is unchanged.
    ///
    /// - Parameter side: The side of a square in pixels of the image at this step, 1...1,000,000; 1 changes
    ///   nothing.
    /// - Returns: The transform, which throws `invalidParameter` for a side out of range.
    public static func pixelate(side: Int) -> TransformChain {
        TransformChain(Pixelate(side: side))
    }
}
