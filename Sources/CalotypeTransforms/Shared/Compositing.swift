import CalotypeCodecs

extension VipsPicture {
    /// Composites a picture of the same size over this one.
    ///
    /// - Parameters:
    ///   - source: The picture on top; three colours, like this one, with or without alpha.
    ///   - blend: The blend mode.
    /// - Returns: Three colours with straight alpha, in floating point.
    /// - Throws: The error of libvips.
    /// - SeeAlso: W3C Compositing and Blending Level 1.
    func composited(with source: VipsPicture, _ blend: BlendMode) throws(CodecFailure) -> VipsPicture {
        switch blend {
        case .sourceAtop: try withoutAlpha().joined(source, .sourceOver).withoutAlpha().withAlpha(of: self)
        case .destinationAtop: try source.composited(with: self, .sourceAtop)
        case _ where blend.isOfAlphaAlone: try joined(source, blend)
        default: try joined(try source.toned(by: self, blend), .sourceOver)
        }
    }

    /// Returns the colours of a picture that will be laid on another, blended in the covered area.
    private func toned(
        by destination: VipsPicture,
        _ blend: BlendMode
    ) throws(CodecFailure) -> VipsPicture {
        let colors = try withoutAlpha()
        let blended = try destination.withoutAlpha().joined(colors, blend).withoutAlpha()
        // Only sums can exceed white; sums of levels are levels, so rounding loses nothing.
        let covering = try (blend == .add ? try blended.rounded() : blended).withAlpha(of: destination)
        return try colors.joined(covering, .sourceOver).withoutAlpha().withAlpha(of: self)
    }

    /// Composites both pictures with `vips_composite2`.
    ///
    /// As of libvips 8.14 the result is correct for opaque pictures, and for the modes of Porter and Duff
    /// except `atop` and `dest-atop`: elsewhere it treats premultiplied colours as straight ones.
    private func joined(_ source: VipsPicture, _ blend: BlendMode) throws(CodecFailure) -> VipsPicture {
        try applying(.cast, [.text("format", "float")]).applying(
            .composite2,
            [
                .picture("overlay", try source.applying(.cast, [.text("format", "float")])),
                .text("mode", blend.vipsName),
            ]
        )
    }

    func withoutAlpha() throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return self }
        return try applying(.extract_band, [.integer("band", 0), .integer("n", 3)])
    }

    /// Returns three colours with the alpha of another picture.
    private func withAlpha(of other: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard other.hasAlpha else { return try applying(.bandjoin_const, [.numbers("c", [255])]) }
        let alpha = try other.applying(.extract_band, [.integer("band", 3)])
        return try VipsPicture.make(.bandjoin, [.pictures("in", [self, alpha])])
    }
}
