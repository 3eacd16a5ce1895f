import CalotypeCodecs
import CalotypeCore

/// A Gaussian blur, in floating point.
struct Blur: VipsTransform {
    /// The maximum sigma; a wider blur is practically one colour.
    static let maxSigma = 200.0

    /// The standard deviation in pixels.
    let sigma: Double

    var cacheIdentity: String { Identity("blur").with("sigma", sigma).text }

    func validate() throws(TransformError) {
        guard sigma > 0, sigma <= Self.maxSigma else {
            throw .invalid("blur sigma \(sigma) is out of range; use above 0 and at most \(Self.maxSigma)")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.mixing { picture throws(CodecFailure) in try picture.underGaussian(sigma: sigma) }
    }
}

extension TransformChain {
    /// Blurs with a Gaussian.
    ///
    /// The edges of the image are extended outwards. Transparent pixels do not contribute colour; alpha is
    /// blurred together with the colours. From a sigma of 6 on, the Gaussian is applied to the means of small
    /// cells. The result is within two levels of a Gaussian on all pixels, and a larger sigma is not slower.
    ///
    /// - Parameter sigma: The standard deviation in pixels of the image at this step; above 0, at most 200.
    /// - Returns: The transform, which throws `invalidParameter` for a sigma out of range.
    public static func blur(sigma: Double) -> TransformChain {
        TransformChain(Blur(sigma: sigma))
    }
}
