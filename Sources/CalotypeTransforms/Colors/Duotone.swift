import CalotypeCodecs
public import CalotypeCore

/// The range between two colours, by luma.
struct Duotone: VipsTransform {
    let intensity: Double
    let dark: RGBColor
    let light: RGBColor

    var cacheIdentity: String {
        Identity("duotone").with("intensity", intensity).with("dark", RGBAColor(dark))
            .with("light", RGBAColor(light)).text
    }

    func validate() throws(TransformError) {
        guard (0...1).contains(intensity) else {
            throw .invalid("duotone intensity \(intensity) is out of range; use 0 to 1")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let range = ColorMatrix(
            rows: zip(dark.channels, light.channels).map { (($1 - $0) / 255) * ColorMatrix.lumaWeights }
        )
        let offsets = dark.channels.map { intensity * $0 }
        return try picture.recolored { colors throws(CodecFailure) in
            try colors.mixed((1 - intensity) * .identity + intensity * range)
                .applying(
                    .linear,
                    [.numbers("a", [1]), .numbers("b", Set(offsets).count == 1 ? [offsets[0]] : offsets)]
                )
        }
    }
}

extension RGBColor {
    /// Red, green and blue, 0...255.
    var channels: [Double] { [Double(red), Double(green), Double(blue)] }
}

extension TransformChain {
    /// Replaces colours by those between a dark and a light one, in proportion to luma.
    ///
    /// With channels as stored and the luma of Rec. 709: black becomes `dark`, white becomes `light`. Rounded
    /// to the nearest level; alpha is unchanged.
    ///
    /// - Parameters:
    ///   - intensity: 0...1: the proportion mixed with the original colours, before rounding; 1 by default.
    ///   - dark: The colour of black; black by default.
    ///   - light: The colour of white; white by default.
    /// - Returns: The transform, which throws `invalidParameter` for an intensity out of range.
    public static func duotone(
        intensity: Double = 1,
        dark: RGBColor = .black,
        light: RGBColor = .white
    ) -> TransformChain {
        TransformChain(Duotone(intensity: intensity, dark: dark, light: light))
    }
}
