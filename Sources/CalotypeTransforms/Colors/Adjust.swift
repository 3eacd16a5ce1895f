import CalotypeCodecs
import CalotypeCore
import CalotypeSupport

/// Brightness, contrast, saturation, hue and gamma, computed in floating point and rounded once.
struct Adjust: VipsTransform {
    let brightness: Double
    let contrast: Double
    let saturation: Double
    let gamma: Double
    /// At least 0 and below 360.
    let hueDegrees: Double

    init(brightness: Double, contrast: Double, saturation: Double, gamma: Double, hueDegrees: Double) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.gamma = gamma
        let turned = hueDegrees.truncatingRemainder(dividingBy: 360)
        let positive = turned < 0 ? turned + 360 : turned
        // A tiny negative angle plus 360 is rounded to 360.
        self.hueDegrees = positive == 360 ? 0 : positive
    }

    var cacheIdentity: String {
        Identity("adjust")
            .with("brightness", brightness)
            .with("contrast", contrast)
            .with("saturation", saturation)
            .with("gamma", gamma)
            .with("hue", hueDegrees)
            .text
    }

    func validate() throws(TransformError) {
        try Self.check("brightness", brightness, -1...1)
        try Self.check("contrast", contrast, 0...100)
        try Self.check("saturation", saturation, 0...100)
        try Self.check("gamma", gamma, 0.1...10)
        guard hueDegrees.isFinite else { throw .invalid("the hue is not a finite number of degrees") }
    }

    private static func check(
        _ name: String,
        _ value: Double,
        _ range: ClosedRange<Double>
    ) throws(TransformError) {
        guard range.contains(value) else {
            throw .invalid("\(name) \(value) is out of range; use \(range.lowerBound) to \(range.upperBound)")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.recolored { colors throws(CodecFailure) in
            // The rows of saturation and hue sum to 1, so a constant added to all channels passes through
            // unchanged.
            let offset = contrast * (brightness - 0.5) + 0.5
            let mixed = try colors.mixed(contrast * (hue * saturated)).linear(factor: 1, offset: offset * 255)
            return gamma == 1 ? mixed : try mixed.raised(to: 1 / gamma)
        }
    }

    private var saturated: ColorMatrix {
        saturation * .identity + (1 - saturation) * .luma
    }

    /// Rotates colours around gray and retains luma.
    ///
    /// The matrix of `feColorMatrix` in SVG, with all digits of the weights.
    ///
    /// - SeeAlso: W3C Filter Effects Module Level 1, `feColorMatrix` of type `hueRotate`.
    private var hue: ColorMatrix {
        guard hueDegrees != 0 else { return .identity }
        let luma = ColorMatrix.lumaWeights
        let (red, blue): (SIMD3<Double>, SIMD3<Double>) = (
            [-luma.x, -luma.y, 1 - luma.z], [luma.x - 1, luma.y, luma.z]
        )
        // Makes the weighted sum of all three 0.
        let green = -(luma.x * red + luma.z * blue) / luma.y
        let angle = hueDegrees * .pi / 180
        let sine = ColorMatrix(rows: [red, green, blue])
        return .luma + cos(angle) * (.identity - .luma) + sin(angle) * sine
    }
}

extension VipsPicture {
    /// Multiplies by a factor and adds an offset, in floating point.
    fileprivate func linear(factor: Double, offset: Double) throws(CodecFailure) -> VipsPicture {
        try applying(.linear, [.numbers("a", [factor]), .numbers("b", [offset])])
    }

    /// Raises values of 0...255 as fractions of 255; negative values become 0.
    fileprivate func raised(to exponent: Double) throws(CodecFailure) -> VipsPicture {
        // Half the sum of a value and its absolute value is its positive part.
        let positive = try applying(.add, [.picture("right", try applying(.abs))])
        return try positive.linear(factor: 1.0 / 510, offset: 0)
            .applying(.math2_const, [.text("math2", "pow"), .numbers("c", [exponent])])
            .linear(factor: 255, offset: 0)
    }
}

extension TransformChain {
    /// Adjusts brightness, contrast, saturation, hue and gamma, in this order.
    ///
    /// With the channels *v* as they are stored (sRGB), from 0 to 1, and their luma of Rec. 709,
    /// *Y* = 0.2126 R + 0.7152 G + 0.0722 B:
    ///
    /// 1. *v* + brightness
    /// 2. (*v* − 0.5) × contrast + 0.5
    /// 3. *Y* + (*v* − *Y*) × saturation
    /// 4. colours are rotated around gray by the hue; *Y* is unchanged
    /// 5. *v* is clamped to 0...1 and raised to 1 ÷ gamma
    ///
    /// All steps are computed in floating point and rounded once, to the nearest level. With the default
    /// values no pixel changes. Gray stays gray. Alpha is unchanged.
    ///
    /// - Parameters:
    ///   - brightness: The offset: −1 is black, 1 white; 0 by default.
    ///   - contrast: 0...100: 0 is middle gray; 1 by default.
    ///   - saturation: 0...100: 0 has no colour; 1 by default.
    ///   - gamma: 0.1...10: values above 1 brighten dark parts; 1 by default.
    ///   - hueDegrees: The rotation of the hue, from red towards green; reduced to one turn, so that −90 and
    ///     270 are equal. 0 by default.
    /// - Returns: The transform, which throws `invalidParameter` for values that are not finite or out of
    ///   range.
    public static func adjust(
        brightness: Double = 0,
        contrast: Double = 1,
        saturation: Double = 1,
        gamma: Double = 1,
        hueDegrees: Double = 0
    ) -> TransformChain {
        TransformChain(
            Adjust(
                brightness: brightness,
                contrast: contrast,
                saturation: saturation,
                gamma: gamma,
                hueDegrees: hueDegrees
            )
        )
    }
}
