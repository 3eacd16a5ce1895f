import CalotypeCodecs
public import CalotypeCore

/// The shades of one colour, by luma.
struct Monochrome: VipsTransform {
    let intensity: Double
    let color: RGBColor

    var cacheIdentity: String {
        Identity("monochrome").with("intensity", intensity).with("color", RGBAColor(color)).text
    }

    func validate() throws(TransformError) {
        guard (0...1).contains(intensity) else {
            throw .invalid("monochrome intensity \(intensity) is out of range; use 0 to 1")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.recolored { colors throws(CodecFailure) in
            let luma = try colors.bandCount == 1 ? colors : colors.mixed(ColorMatrix(rows: [Self.weights]))
            let own = try colors.applying(.linear, [.numbers("a", [1 - intensity]), .numbers("b", [0])])
            return try own.applying(.add, [.picture("right", try shades(of: luma))])
        }
    }

    private static let weights = ColorMatrix.lumaWeights

    /// Returns the colours of lumas, multiplied by the intensity.
    ///
    /// From black to the colour, at its own luma, and from there to white.
    private func shades(of luma: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let channels = color.channels
        let middle = zip(channels, [Self.weights.x, Self.weights.y, Self.weights.z]).reduce(0) {
            $0 + $1.0 * $1.1
        }
        // Black, white and grays are on the way from black to white.
        guard Set(channels).count > 1 else {
            return try luma.applying(.linear, [.numbers("a", [intensity]), .numbers("b", [0])])
        }
        let below = channels.map { $0 / middle }
        let above = zip(channels, below).map { (255 - $0) / (255 - middle) - $1 }
        let start = try luma.applying(
            .linear,
            [.numbers("a", below.map { intensity * $0 }), .numbers("b", [0, 0, 0])]
        )
        let rest = try luma.applying(.linear, [.numbers("a", [1]), .numbers("b", [-middle])])
        // Half the sum of a value and its absolute value is its positive part.
        let bend = try rest.applying(.add, [.picture("right", try rest.applying(.abs))]).applying(
            .linear,
            [.numbers("a", above.map { intensity * $0 / 2 }), .numbers("b", [0, 0, 0])]
        )
        return try start.applying(.add, [.picture("right", bend)])
    }
}

extension TransformChain {
    /// Replaces colours by shades of one colour, in proportion to luma.
    ///
    /// With channels as stored and the luma of Rec. 709: black stays black, white stays white, and a pixel of
    /// the luma of `color` becomes `color`; between these, colours are interpolated. Any gray as the colour
    /// gives grays. Rounded to the nearest level; alpha is unchanged.
    ///
    /// - Parameters:
    ///   - intensity: 0...1: the proportion mixed with the original colours, before rounding; 1 by default.
    ///   - color: The colour of the shades; the gray `b3b3b3` by default.
    /// - Returns: The transform, which throws `invalidParameter` for an intensity out of range.
    public static func monochrome(
        intensity: Double = 1,
        color: RGBColor = RGBColor(red: 179, green: 179, blue: 179)
    ) -> TransformChain {
        TransformChain(Monochrome(intensity: intensity, color: color))
    }
}
