import CalotypeCodecs
import CalotypeCore

/// A Gaussian blur (`vips_gaussblur`), in floating point.
struct Blur: VipsTransform {
    /// The greatest sigma: what is wider is as good as one colour, and costs as many steps as it is wide.
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
        try picture.mixing { picture throws(CodecFailure) in
            try picture.applying(.gaussblur, [.number("sigma", sigma), .text("precision", "float")])
        }
    }
}

extension TransformChain {
    /// Blurs with a Gaussian.
    ///
    /// The edges of the image are repeated outwards. What is transparent lends no colour.
    ///
    /// - Parameter sigma: The standard deviation in pixels of the image as it is by then; above 0, at most
    ///   200.
    /// - Returns: The transform.
    public static func blur(sigma: Double) -> TransformChain {
        TransformChain(Blur(sigma: sigma))
    }
}
