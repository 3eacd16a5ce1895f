import CalotypeCodecs

extension VipsPicture {
    /// Lays a picture of the same size on this one.
    ///
    /// - Parameters:
    ///   - source: What is laid on it; with three colours, as this one, and with alpha or without.
    ///   - blend: How both go together.
    /// - Returns: Three colours with alpha, which is not multiplied in; floating point.
    /// - Throws: What libvips said, where it fails.
    /// - SeeAlso: W3C Compositing and Blending Level 1.
    func composited(with source: VipsPicture, _ blend: BlendMode) throws(CodecFailure) -> VipsPicture {
        switch blend {
        case .sourceAtop: try withoutAlpha().joined(source, .sourceOver).withoutAlpha().withAlpha(of: self)
        case .destinationAtop: try source.composited(with: self, .sourceAtop)
        case _ where blend.isOfAlphaAlone: try joined(source, blend)
        default: try joined(try source.toned(by: self, blend), .sourceOver)
        }
    }

    /// The colours of a picture that is to be laid on another: blended as far as the other covers.
    private func toned(
        by destination: VipsPicture,
        _ blend: BlendMode
    ) throws(CodecFailure) -> VipsPicture {
        let colors = try withoutAlpha()
        let blended = try destination.withoutAlpha().joined(colors, blend).withoutAlpha()
        // Sums alone can be above white; sums of levels are levels, so that rounding loses nothing.
        let covering = try (blend == .add ? try blended.rounded() : blended).withAlpha(of: destination)
        return try colors.joined(covering, .sourceOver).withoutAlpha().withAlpha(of: self)
    }

    /// Both pictures by `vips_composite2`.
    ///
    /// As of libvips 8.14 it gives what it should for opaque pictures, and for the modes of Porter and Duff
    /// but for `atop` and `dest-atop`: elsewhere it takes colours with alpha multiplied in for such without.
    private func joined(_ source: VipsPicture, _ blend: BlendMode) throws(CodecFailure) -> VipsPicture {
        try applying(.cast, [.text("format", "float")]).applying(
            .composite2,
            [
                .picture("overlay", try source.applying(.cast, [.text("format", "float")])),
                .text("mode", blend.vipsName),
            ]
        )
    }

    /// The three colours alone.
    func withoutAlpha() throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return self }
        return try applying(.extract_band, [.integer("band", 0), .integer("n", 3)])
    }

    /// Three colours with the alpha that another picture has.
    private func withAlpha(of other: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard other.hasAlpha else { return try applying(.bandjoin_const, [.numbers("c", [255])]) }
        let alpha = try other.applying(.extract_band, [.integer("band", 3)])
        return try VipsPicture.make(.bandjoin, [.pictures("in", [self, alpha])])
    }
}
