import CalotypeCodecs
import CalotypeCore

/// The weights of red, green and blue in luma, for channels as stored.
package enum Luma: String, Hashable, Sendable, Codable {
    /// ITU-R BT.709.
    case rec709
    /// ITU-R BT.601, as in Pillow and thumbor.
    case rec601

    var weights: SIMD3<Double> {
        switch self {
        case .rec709: ColorMatrix.lumaWeights
        case .rec601: [0.299, 0.587, 0.114]
        }
    }
}

struct Grayscale: VipsTransform {
    let luma: Luma

    var cacheIdentity: String {
        let identity = Identity("grayscale")
        return luma == .rec709 ? identity.text : identity.with("luma", luma.rawValue).text
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard picture.bandCount > 1 else { return picture }
        // No pixel format is gray with alpha, so luma is repeated three times.
        let rows = Array(repeating: luma.weights, count: picture.hasAlpha ? 3 : 1)
        return try picture.recolored { colors throws(CodecFailure) in
            try colors.mixed(ColorMatrix(rows: rows))
        }
    }
}

extension TransformChain {
    /// Converts to gray.
    ///
    /// Gray is the luma of Rec. 709, 0.2126 R + 0.7152 G + 0.0722 B of the channels as stored, rounded to the
    /// nearest level. The result is `gray8`; with alpha, which is unchanged, it is `rgba8` with three equal
    /// channels.
    public static var grayscale: TransformChain { gray(by: .rec709) }

    /// Converts to gray by other weights.
    package static func gray(by luma: Luma) -> TransformChain { TransformChain(Grayscale(luma: luma)) }
}
