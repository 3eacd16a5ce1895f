import CalotypeCodecs
import CalotypeCore

/// An unsharp mask, in floating point.
struct Sharpen: VipsTransform {
    /// The maximum amount; more results in little but black and white.
    static let maxAmount = 10.0

    /// The standard deviation of the Gaussian in pixels.
    let sigma: Double
    let amount: Double
    /// Whether the luma of the difference is added to all channels, so that colours do not change.
    var onlyLuminance = false

    var cacheIdentity: String {
        let identity = Identity("sharpen").with("sigma", sigma).with("amount", amount)
        return (onlyLuminance ? identity.with("luminance", true) : identity).text
    }

    func validate() throws(TransformError) {
        guard sigma > 0, sigma <= Blur.maxSigma else {
            throw .invalid("sharpen sigma \(sigma) is out of range; use above 0 and at most \(Blur.maxSigma)")
        }
        guard amount >= 0, amount <= Self.maxAmount else {
            throw .invalid("sharpen amount \(amount) is out of range; use 0 to \(Self.maxAmount)")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let blurred = try picture.colorsUnderGaussian(sigma: sigma)
        return try picture.recolored { colors throws(CodecFailure) in
            let difference = try colors.applying(.subtract, [.picture("right", blurred)])
            let detail = try onlyLuminance && colors.bandCount > 1 ? difference.mixed(.luma) : difference
            let scaled = try detail.applying(.linear, [.numbers("a", [amount]), .numbers("b", [0])])
            return try colors.applying(.add, [.picture("right", scaled)])
        }
    }
}

extension VipsPicture {
    /// The blurred colours, weighted by alpha, without the alpha band.
    func colorsUnderGaussian(sigma: Double) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return try underGaussian(sigma: sigma) }
        return try applying(.premultiply).underGaussian(sigma: sigma).applying(.unpremultiply)
            .applying(.extract_band, [.integer("band", 0), .integer("n", bandCount - 1)])
    }
}

extension TransformChain {
    /// Sharpens with an unsharp mask: each channel *v* becomes *v* + amount × (*v* − blurred *v*).
    ///
    /// The blurred value is that of ``blur(sigma:)`` before rounding; the result is rounded once, to the
    /// nearest level, and clamped. Transparent pixels do not contribute colour, and alpha is unchanged.
    ///
    /// - Parameters:
    ///   - sigma: The standard deviation of the Gaussian in pixels of the image at this step: about the width
    ///     of the details to sharpen. Above 0, at most 200; 1 by default.
    ///   - amount: 0...10: 0 changes nothing; 1 by default.
    ///   - onlyLuminance: True to add the luma of the difference (Rec. 709) to all channels, which creates no
    ///     coloured edges; false by default.
    /// - Returns: The transform, which throws `invalidParameter` for values out of range.
    public static func sharpen(
        sigma: Double = 1,
        amount: Double = 1,
        onlyLuminance: Bool = false
    ) -> TransformChain {
        TransformChain(Sharpen(sigma: sigma, amount: amount, onlyLuminance: onlyLuminance))
    }
}
