import CalotypeCodecs
import CalotypeCore

extension VipsPicture {
    /// Lays a layer on the picture.
    ///
    /// - Parameters:
    ///   - layer: Red, green, blue and alpha; where it does not lie, it is as good as transparent.
    ///   - x: Where the layer's left edge lies in the picture.
    ///   - y: Where the layer's upper edge lies in the picture.
    ///   - blend: How the two go together.
    ///   - bandCount: What the result is known to be: 1 for gray, 3 for opaque, 4.
    /// - Returns: The picture, not rounded yet.
    /// - Throws: What libvips said, where it fails.
    func composited(
        with layer: VipsPicture,
        x: Int = 0,
        y: Int = 0,
        blend: BlendMode = .sourceOver,
        bandCount: Int
    ) throws(CodecFailure) -> VipsPicture {
        // libvips rounds down where both are 8 bits.
        let base = try inColor().applying(.cast, [.text("format", "float")])
        let result = try base.applying(
            .composite2,
            [
                .picture("overlay", layer), .integer("x", x), .integer("y", y), .text("mode", blend.vipsName),
            ]
        )
        guard bandCount < 4 else { return result }
        return try result.applying(.extract_band, [.integer("band", 0), .integer("n", bandCount)])
    }

    /// Lays one colour on the picture, but for the parts of pixels that are kept.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - kept: One band: how much of each pixel stays without the colour, 0...1.
    /// - Returns: The picture, not rounded yet; opaque stays opaque, and gray under gray stays gray.
    /// - Throws: What libvips said, where it fails.
    func painted(_ color: RGBAColor, keeping kept: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let channels = [color.red, color.green, color.blue, color.alpha].map(Double.init)
        let layer = try kept.applying(
            .linear,
            [.numbers("a", [0, 0, 0, -channels[3]]), .numbers("b", channels)]
        )
        let isGray = bandCount == 1 && color.red == color.green && color.green == color.blue
        return try composited(
            with: try layer.applying(.copy, [.text("interpretation", "srgb")]),
            bandCount: hasAlpha ? 4 : isGray ? 1 : 3
        )
    }

    /// The picture with its alpha multiplied.
    ///
    /// - Parameter mask: One band: what is left of each pixel, 0...255.
    /// - Returns: The picture with alpha, not rounded yet.
    /// - Throws: What libvips said, where it fails.
    func masked(by mask: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return try VipsPicture.make(.bandjoin, [.pictures("in", [self, mask])]) }
        let colors = [Double](repeating: 0, count: bandCount - 1)
        let factors = try mask.applying(
            .linear,
            [.numbers("a", colors + [1 / 255.0]), .numbers("b", colors.map { _ in 1 } + [0])]
        )
        return try applying(.multiply, [.picture("right", factors)])
    }

    /// The picture in red, green, blue and alpha.
    func withAlpha() throws(CodecFailure) -> VipsPicture {
        let colored = try inColor()
        return colored.hasAlpha ? colored : try colored.applying(.bandjoin_const, [.numbers("c", [255])])
    }

    /// The picture with all of its alpha multiplied by one number.
    ///
    /// - Parameter opacity: 0...1.
    /// - Returns: The picture, not rounded yet.
    /// - Precondition: It is red, green, blue and alpha.
    /// - Throws: What libvips said, where it fails.
    func fading(to opacity: Double) throws(CodecFailure) -> VipsPicture {
        guard opacity < 1 else { return self }
        return try applying(.linear, [.numbers("a", [1, 1, 1, opacity]), .numbers("b", [0])])
    }

    /// The picture in red, green and blue, where it is gray.
    private func inColor() throws(CodecFailure) -> VipsPicture {
        bandCount < 3 ? try applying(.colourspace, [.text("space", "srgb")]) : self
    }
}
