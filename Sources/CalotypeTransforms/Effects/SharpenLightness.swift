import CalotypeCodecs
import CalotypeCore

/// Sharpens edges by their lightness (`vips_sharpen` with its defaults).
struct SharpenLightness: VipsTransform {
    /// The maximum sigma of libvips.
    static let maxSigma = 10.0

    /// The standard deviation of the Gaussian in pixels.
    let sigma: Double

    var cacheIdentity: String { Identity("sharpenLightness").with("sigma", sigma).text }

    func validate() throws(TransformError) {
        guard sigma > 0, sigma <= Self.maxSigma else {
            throw .invalid("sharpen sigma \(sigma) is out of range; use above 0 and at most \(Self.maxSigma)")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard picture.hasAlpha else { return try sharpened(picture) }
        let alpha = try picture.applying(
            .extract_band,
            [.integer("band", picture.bandCount - 1)]
        ).applying(.linear, [.numbers("a", [1 / 255.0]), .numbers("b", [0])])
        let around = try picture.colorsUnderGaussian(sigma: sigma)
        return try picture.recolored { colors throws(CodecFailure) in
            // Invisible colours are replaced by those around them: otherwise each outline would be an edge.
            let hidden = try alpha.applying(.linear, [.numbers("a", [-1]), .numbers("b", [1])])
            let filled = try colors.applying(.multiply, [.picture("right", alpha)])
                .applying(
                    .add,
                    [.picture("right", try around.applying(.multiply, [.picture("right", hidden)]))]
                )
                .rounded()
            let detail = try sharpened(filled.applying(.copy, [.text("interpretation", "srgb")]))
                .applying(.subtract, [.picture("right", filled)])
            return try colors.applying(.add, [.picture("right", detail)])
        }
    }

    private func sharpened(_ colors: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try colors.applying(.sharpen, [.number("sigma", sigma)])
    }
}

extension TransformChain {
    /// Sharpens edges in lightness, and leaves areas without edges and all hues unchanged: `vips_sharpen`.
    ///
    /// In CIE Lab, the difference *d* of the lightness from its Gaussian blur becomes 3*d*, less 6 for a
    /// positive *d*, but at most 10 brighter and 20 darker; a difference below 2 is ignored. Transparent
    /// pixels do not contribute colour, and alpha is unchanged.
    ///
    /// - Parameter sigma: The standard deviation of the Gaussian in pixels; 0.5 for screens. Above 0, at most
    ///   10.
    /// - Returns: The transform, which throws `invalidParameter` for a sigma out of range.
    public static func sharpenLightness(sigma: Double) -> TransformChain {
        TransformChain(SharpenLightness(sigma: sigma))
    }
}
