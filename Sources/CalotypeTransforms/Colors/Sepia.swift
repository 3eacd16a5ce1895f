import CalotypeCodecs
import CalotypeCore

/// The brown of old photographs.
struct Sepia: VipsTransform {
    let intensity: Double

    /// The matrix that Filter Effects has for `sepia`.
    private static let brown = ColorMatrix(
        rows: [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]
    )

    var cacheIdentity: String { Identity("sepia").with("intensity", intensity).text }

    func validate() throws(TransformError) {
        guard intensity >= 0, intensity <= 1 else {
            throw .invalid("a sepia intensity of \(intensity); it is 0 to 1")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.recolored { colors throws(CodecFailure) in
            try colors.mixed((1 - intensity) * .identity + intensity * Self.brown)
        }
    }
}

extension TransformChain {
    /// Turns colours into the brown of old photographs.
    ///
    /// With channels as they are stored: R′ = 0.393 R + 0.769 G + 0.189 B, G′ = 0.349 R + 0.686 G + 0.168 B,
    /// B′ = 0.272 R + 0.534 G + 0.131 B, rounded to the nearest level and clamped. Gray becomes `rgb8`,
    /// unless the intensity is 0. Alpha is left alone.
    ///
    /// - Parameter intensity: 0...1: how much of the brown is mixed with the colours there were, before
    ///   rounding; 1 unless set.
    /// - Returns: The transform. An intensity out of range is an `invalidParameter`.
    /// - SeeAlso: W3C Filter Effects Module Level 1, `sepia()`.
    public static func sepia(intensity: Double = 1) -> TransformChain {
        TransformChain(Sepia(intensity: intensity))
    }
}
