import CalotypeCodecs
import CalotypeCore

/// The brown tone of old photographs.
struct Sepia: VipsTransform {
    let intensity: Double

    /// The matrix of `sepia` in Filter Effects.
    private static let brown = ColorMatrix(
        rows: [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]
    )

    var cacheIdentity: String { Identity("sepia").with("intensity", intensity).text }

    func validate() throws(TransformError) {
        guard intensity >= 0, intensity <= 1 else {
            throw .invalid("sepia intensity \(intensity) is out of range; use 0 to 1")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.recolored { colors throws(CodecFailure) in
            try colors.mixed((1 - intensity) * .identity + intensity * Self.brown)
        }
    }
}

extension TransformChain {
    /// Gives the image the brown tone of old photographs.
    ///
    /// With channels as stored: R′ = 0.393 R + 0.769 G + 0.189 B, G′ = 0.349 R + 0.686 G + 0.168 B, B′ =
    /// 0.272 R + 0.534 G + 0.131 B, rounded to the nearest level and clamped. Gray becomes `rgb8`, unless the
    /// intensity is 0. Alpha is unchanged.
    ///
    /// - Parameter intensity: 0...1: the proportion of the brown mixed with the original colours, before
    ///   rounding; 1 by default.
    /// - Returns: The transform, which throws `invalidParameter` for an intensity out of range.
    /// - SeeAlso: W3C Filter Effects Module Level 1, `sepia()`.
    public static func sepia(intensity: Double = 1) -> TransformChain {
        TransformChain(Sepia(intensity: intensity))
    }
}
