import CalotypeCodecs
import CalotypeCore

struct Invert: VipsTransform {
    var cacheIdentity: String { Identity("invert").text }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.recolored { colors throws(CodecFailure) in try colors.applying(.invert) }
    }
}

extension TransformChain {
    /// Replaces each channel by 255 minus its value; alpha is unchanged.
    public static var invert: TransformChain { TransformChain(Invert()) }
}
