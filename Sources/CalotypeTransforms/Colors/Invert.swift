import CalotypeCodecs
import CalotypeCore

/// The negative.
struct Invert: VipsTransform {
    var cacheIdentity: String { Identity("invert").text }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.recolored { colors throws(CodecFailure) in try colors.applying(.invert) }
    }
}

extension TransformChain {
    /// Turns each channel into 255 less its value; alpha is left alone.
    public static var invert: TransformChain { TransformChain(Invert()) }
}
