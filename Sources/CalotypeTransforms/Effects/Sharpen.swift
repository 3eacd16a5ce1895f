import CalotypeCodecs
import CalotypeCore

/// An unsharp mask, in floating point.
struct Sharpen: VipsTransform {
    /// The greatest amount: more leaves little but black and white.
    static let amountMax = 10.0

    /// The standard deviation of the Gaussian in pixels.
    let sigma: Double
    let amount: Double

    var cacheIdentity: String { Identity("sharpen").with("sigma", sigma).with("amount", amount).text }

    func validate() throws(TransformError) {
        guard sigma > 0, sigma <= Blur.sigmaMax else {
            throw .invalid("a sharpening of sigma \(sigma); it is above 0 and at most \(Blur.sigmaMax)")
        }
        guard amount >= 0, amount <= Self.amountMax else {
            throw .invalid("a sharpening by \(amount); it is 0 to \(Self.amountMax)")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let blurred = try picture.colorsUnderGaussian(sigma: sigma)
        return try picture.recolored { colors throws(CodecFailure) in
            let detail = try colors.applying(.subtract, [.picture("right", blurred)])
                .applying(.linear, [.numbers("a", [amount]), .numbers("b", [0])])
            return try colors.applying(.add, [.picture("right", detail)])
        }
    }
}

extension VipsPicture {
    /// The colours under a Gaussian, counted by alpha, and without it.
    fileprivate func colorsUnderGaussian(sigma: Double) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return try underGaussian(sigma: sigma) }
        return try applying(.premultiply).underGaussian(sigma: sigma).applying(.unpremultiply)
            .applying(.extract_band, [.integer("band", 0), .integer("n", bandCount - 1)])
    }
}

extension TransformChain {
    /// Sharpens with an unsharp mask: each channel *v* becomes *v* + amount × (*v* − blurred *v*).
    ///
    /// Blurred is what ``blur(sigma:)`` gives, before it is rounded; the result is rounded once, to the
    /// nearest level, and clamped. What is transparent lends no colour, and alpha is left alone.
    ///
    /// - Parameters:
    ///   - sigma: The standard deviation of the Gaussian in pixels of the image as it is by then: about as
    ///     wide as the details to bring out. Above 0, at most 200; 1 unless set.
    ///   - amount: 0...10: 0 changes nothing; 1 unless set.
    /// - Returns: The transform. What is out of range is an `invalidParameter`.
    public static func sharpen(sigma: Double = 1, amount: Double = 1) -> TransformChain {
        TransformChain(Sharpen(sigma: sigma, amount: amount))
    }
}
