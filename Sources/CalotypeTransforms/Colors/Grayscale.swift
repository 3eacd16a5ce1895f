import CalotypeCodecs
import CalotypeCore

/// Luma in place of colours.
struct Grayscale: VipsTransform {
    var cacheIdentity: String { Identity("grayscale").text }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard picture.bandCount > 1 else { return picture }
        // There is no gray with alpha among the formats: luma three times then.
        let luma = picture.hasAlpha ? ColorMatrix.luma : ColorMatrix(rows: [ColorMatrix.lumaWeights])
        return try picture.recolored { colors throws(CodecFailure) in try colors.mixed(luma) }
    }
}

extension TransformChain {
    /// Takes the colours away.
    ///
    /// What stays is the luma of Rec. 709, 0.2126 R + 0.7152 G + 0.0722 B of the channels as they are stored,
    /// rounded to the nearest level. The result is `gray8`; with alpha, which is left alone, `rgba8` with
    /// three equal channels.
    public static var grayscale: TransformChain { TransformChain(Grayscale()) }
}
