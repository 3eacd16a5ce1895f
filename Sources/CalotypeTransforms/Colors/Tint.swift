import CalotypeCodecs
public import CalotypeCore

/// One colour, laid on the whole picture, in floating point.
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

    /// Alpha is what the mode makes of it.
    private func covered(_ base: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let result = try base.composited(with: try sheet(of: base.size), blend)
        return try (base.hasAlpha || !leavesOpaque ? result : try result.withoutAlpha()).rounded()
    }

    /// Alpha stays.
    private func recolored(_ base: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try base.recolored { colors throws(CodecFailure) in
            try colors.composited(with: try sheet(of: base.size), blend).withoutAlpha()
        }
    }

    /// The colour everywhere.
    private func sheet(of size: PixelSize) throws(CodecFailure) -> VipsPicture {
        let channels = [color.red, color.green, color.blue, color.alpha].map(Double.init)
        return try VipsPicture.make(
            .black,
            [.integer("width", size.width), .integer("height", size.height), .integer("bands", 4)]
        )
        .applying(.linear, [.numbers("a", [1]), .numbers("b", channels)])
        .applying(.copy, [.text("interpretation", "srgb")])
    }

    /// Whether what is opaque stays so, by the coverage that Porter and Duff give.
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
    /// Lays one colour on the whole image.
    ///
    /// The modes of Porter and Duff, ``BlendMode/sourceOver`` to ``BlendMode/xor``, change alpha as they
    /// say: ``BlendMode/sourceIn`` keeps the outlines of a symbol and gives it the colour, and
    /// ``BlendMode/sourceOver`` covers everything. The modes that compute a colour, ``BlendMode/add`` and
    /// those after it, leave alpha alone: what is transparent stays so, and elsewhere the computed colour is
    /// mixed with the one there was by the alpha of the tint.
    ///
    /// Computed in floating point on the channels as they are stored (sRGB), and rounded to the nearest
    /// level. Opaque stays opaque where the mode and the colour's alpha allow it. Gray stays gray where the
    /// tint is gray too and nothing becomes transparent.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - blend: How it goes together with the image; ``BlendMode/sourceIn`` unless set.
    /// - Returns: The transform.
    public static func tint(_ color: RGBAColor, blend: BlendMode = .sourceIn) -> TransformChain {
        TransformChain(Tint(color: color, blend: blend))
    }
}
