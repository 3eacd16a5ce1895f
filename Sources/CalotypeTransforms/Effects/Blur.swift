import CalotypeCodecs
import CalotypeCore

/// A Gaussian blur, in floating point.
struct Blur: VipsTransform {
    /// The greatest sigma: what is wider is as good as one colour.
    static let sigmaMax = 200.0

    /// The standard deviation in pixels.
    let sigma: Double

    var cacheIdentity: String { Identity("blur").with("sigma", sigma).text }

    func validate() throws(TransformError) {
        guard sigma > 0, sigma <= Self.sigmaMax else {
            throw .invalid("a blur of sigma \(sigma); it is above 0 and at most \(Self.sigmaMax)")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.mixing { picture throws(CodecFailure) in try picture.underGaussian(sigma: sigma) }
    }
}

extension TransformChain {
    /// Blurs with a Gaussian.
    ///
    /// The edges of the image are repeated outwards. What is transparent lends no colour; alpha is blurred
    /// with the colours. From a sigma of 6 on, the Gaussian is applied to the means of small cells: that is
    /// within two levels of what it would give on all pixels, and no slower for a greater sigma.
    ///
    /// - Parameter sigma: The standard deviation in pixels of the image as it is by then; above 0, at most
    ///   200.
    /// - Returns: The transform. A sigma out of range is an `invalidParameter`.
    public static func blur(sigma: Double) -> TransformChain {
        TransformChain(Blur(sigma: sigma))
    }
}
