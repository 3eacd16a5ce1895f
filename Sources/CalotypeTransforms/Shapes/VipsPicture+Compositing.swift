import CalotypeCodecs
import CalotypeCore

extension VipsPicture {
    /// Composites a layer over the picture.
    ///
    /// - Parameters:
    ///   - layer: Red, green, blue and alpha; transparent outside its bounds.
    ///   - x: The position of the layer's left edge in the picture.
    ///   - y: The position of the layer's upper edge in the picture.
    ///   - blend: The blend mode.
    ///   - bandCount: The number of bands of the result: 1 for gray, 3 for opaque, 4.
    /// - Returns: The picture before rounding.
    /// - Throws: The error of libvips.
    func composited(
        with layer: VipsPicture,
        x: Int = 0,
        y: Int = 0,
        blend: BlendMode = .sourceOver,
        bandCount: Int
    ) throws(CodecFailure) -> VipsPicture {
        let result = try inColor().composited(with: try layer.embedded(x: x, y: y, in: size), blend)
        guard bandCount < 4 else { return result }
        return try result.applying(.extract_band, [.integer("band", 0), .integer("n", bandCount)])
    }

    /// Returns the picture at a position in a larger or smaller one that is transparent elsewhere.
    private func embedded(x: Int, y: Int, in room: PixelSize) throws(CodecFailure) -> VipsPicture {
        guard x != 0 || y != 0 || size != room else { return self }
        let sides: [VipsArgument] = [.integer("width", room.width), .integer("height", room.height)]
        guard x < room.width, y < room.height, x + size.width > 0, y + size.height > 0 else {
            return try VipsPicture.make(.black, sides + [.integer("bands", 4)])
                .applying(.copy, [.text("interpretation", "srgb")])
        }
        return try applying(.embed, [.integer("x", x), .integer("y", y)] + sides)
    }

    /// Paints one colour over the picture, except for the retained fraction of each pixel.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - kept: One band: the retained fraction of each pixel, 0...1.
    /// - Returns: The picture before rounding; opaque stays opaque, and gray under gray stays gray.
    /// - Throws: The error of libvips.
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

    /// Multiplies the picture's alpha by a mask.
    ///
    /// - Parameter mask: One band: the retained part of each pixel, 0...255.
    /// - Returns: The picture with alpha, before rounding.
    /// - Throws: The error of libvips.
    func masked(by mask: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return try VipsPicture.make(.bandjoin, [.pictures("in", [self, mask])]) }
        let colors = [Double](repeating: 0, count: bandCount - 1)
        let factors = try mask.applying(
            .linear,
            [.numbers("a", colors + [1 / 255.0]), .numbers("b", colors.map { _ in 1 } + [0])]
        )
        return try applying(.multiply, [.picture("right", factors)])
    }

    /// Converts the picture to red, green, blue and alpha.
    func withAlpha() throws(CodecFailure) -> VipsPicture {
        let colored = try inColor()
        return colored.hasAlpha ? colored : try colored.applying(.bandjoin_const, [.numbers("c", [255])])
    }

    /// Multiplies the picture's alpha by a number.
    ///
    /// - Parameter opacity: 0...1.
    /// - Returns: The picture before rounding.
    /// - Precondition: It is red, green, blue and alpha.
    /// - Throws: The error of libvips.
    func fading(to opacity: Double) throws(CodecFailure) -> VipsPicture {
        guard opacity < 1 else { return self }
        return try applying(.linear, [.numbers("a", [1, 1, 1, opacity]), .numbers("b", [0])])
    }

    /// Converts a gray picture to red, green and blue.
    private func inColor() throws(CodecFailure) -> VipsPicture {
        bandCount < 3 ? try applying(.colourspace, [.text("space", "srgb")]) : self
    }
}
