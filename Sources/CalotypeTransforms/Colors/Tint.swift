import CalotypeCodecs
public import CalotypeCore

/// Blends one colour with the whole image, in floating point.
struct Tint: VipsTransform {
    let color: RGBAColor
    let blend: BlendMode

    var cacheIdentity: String {
        Identity("tint").with("color", color).with("blend", blend.rawValue).text
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let isGray = picture.bandCount == 1 && color.red == color.green && color.green == color.blue
        let base = try picture.applying(.colourspace, [.text("space", "srgb")])
        let result = try blend.isOfAlphaAlone ? covered(base) : recolored(base)
        return isGray && !result.hasAlpha ? try result.applying(.extract_band, [.integer("band", 0)]) : result
    }

    /// Computes alpha by the blend mode.
    private func covered(_ base: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let result = try base.composited(with: try sheet(of: base.size), blend)
        return try (base.hasAlpha || !leavesOpaque ? result : try result.withoutAlpha()).rounded()
    }

    /// Leaves alpha unchanged.
    private func recolored(_ base: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try base.recolored { colors throws(CodecFailure) in
            try colors.composited(with: try sheet(of: base.size), blend).withoutAlpha()
        }
    }

    /// A picture filled with the colour.
    private func sheet(of size: PixelSize) throws(CodecFailure) -> VipsPicture {
        let channels = [color.red, color.green, color.blue, color.alpha].map(Double.init)
        return try VipsPicture.make(
            .black,
            [.integer("width", size.width), .integer("height", size.height), .integer("bands", 4)]
        )
        .applying(.linear, [.numbers("a", [1]), .numbers("b", channels)])
        .applying(.copy, [.text("interpretation", "srgb")])
    }

    /// True if an opaque image stays opaque, by the coverage of Porter and Duff.
    private var leavesOpaque: Bool {
        switch blend {
        case .sourceIn, .destinationIn, .destinationAtop: color.alpha == 255
        case .sourceOut: false
        case .destinationOut, .xor: color.alpha == 0
        default: true
        }
    }
}

extension TransformChain {
    /// Blends one colour with the whole image.
    ///
    /// The modes of Porter and Duff, ``BlendMode/sourceOver`` to ``BlendMode/xor``, change alpha as defined:
    /// ``BlendMode/sourceIn`` retains the outlines of a symbol and colours it, and ``BlendMode/sourceOver``
    /// covers everything. The other modes, from ``BlendMode/add`` on, compute a colour and leave alpha
    /// unchanged: transparent pixels stay so, and elsewhere the computed colour is mixed with the original
    /// one by the alpha of the tint.
    ///
    /// Computed in floating point on the channels as stored (sRGB), and rounded to the nearest level. An
    /// opaque image stays opaque if the mode and the colour's alpha allow it. Gray stays gray if the tint is
    /// gray too and nothing becomes transparent.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - blend: The blend mode; ``BlendMode/sourceIn`` by default.
    /// - Returns: The transform.
    public static func tint(_ color: RGBAColor, blend: BlendMode = .sourceIn) -> TransformChain {
        TransformChain(Tint(color: color, blend: blend))
    }
}
