import CalotypeCodecs
public import CalotypeCore

/// A colour behind what is transparent.
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
    /// Lays the image on a colour, which shows where it is transparent.
    ///
    /// The result is opaque: `rgb8`, or the image itself where it has no alpha.
    ///
    /// - Parameter background: The colour; white unless set.
    /// - Returns: The transform.
    public static func flatten(onto background: RGBColor = .white) -> TransformChain {
        TransformChain(Flatten(background: background))
    }
}
