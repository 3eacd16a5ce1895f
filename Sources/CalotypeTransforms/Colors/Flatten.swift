import CalotypeCodecs
public import CalotypeCore

/// Composites the image over an opaque colour.
struct Flatten: VipsTransform {
    let background: RGBColor

    var cacheIdentity: String { Identity("flatten").with("onto", RGBAColor(background)).text }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard picture.hasAlpha else { return picture }
        let channels = [background.red, background.green, background.blue].map(Double.init)
        return try picture.applying(.cast, [.text("format", "float")])
            .applying(.flatten, [.numbers("background", channels)])
            .rounded()
    }
}

extension TransformChain {
    /// Composites the image over a colour, which is visible through transparent pixels.
    ///
    /// The result is opaque: `rgb8`, or the image itself if it has no alpha.
    ///
    /// - Parameter background: The colour; white by default.
    /// - Returns: The transform.
    public static func flatten(onto background: RGBColor = .white) -> TransformChain {
        TransformChain(Flatten(background: background))
    }
}
