import CalotypeCore
import CalotypeTransforms

/// The effects of imgproxy's options on the scaled image, in their fixed order: colours, sharpness, pixels.
///
/// Their semantics in imgproxy Pro are documented, but not their formulae (decision 0371).
struct ImgproxyEffects: Hashable, Sendable {
    /// Shades between colours instead of the image's own colours.
    struct Toning: Hashable, Sendable {
        /// 0...1; 0 changes nothing.
        var intensity = 0.0
        /// The colour of dark parts, or the only colour.
        var color: RGBColor
        /// The colour of light parts.
        var light = RGBColor.white
    }

    /// A kernel of 3 × 3 that subtracts the neighbours from a pixel.
    struct UnsharpMask: Hashable, Sendable {
        enum Mode: String, Hashable, Sendable {
            /// Only for reduced images that are not sharpened otherwise.
            case auto
            case none
            case always
        }

        var mode = Mode.auto
        /// The weight of each neighbour; above 0.
        var weight = 1.0
        /// The divisor of all weights; above 0.
        var divider = 24.0

        var kernel: ConvolutionKernel {
            let (side, middle) = (-weight / divider, 1 + 8 * weight / divider)
            return ConvolutionKernel(rows: [[side, side, side], [side, middle, side], [side, side, side]])
        }
    }

    /// −255...255 levels.
    var brightness = 0
    var contrast = 1.0
    var saturation = 1.0
    var monochrome = Toning(color: RGBColor(red: 179, green: 179, blue: 179))
    var duotone = Toning(color: .black)
    var unsharpMask: UnsharpMask?
    /// The side of a block; 0 for none.
    var pixelSide = 0

    /// The part of a layout's cache identity; empty without effects.
    var identity: String {
        guard self != ImgproxyEffects() else { return "" }
        let tones = [monochrome, duotone].map { tone in
            "\(tone.intensity):\(RGBAColor(tone.color).hex):\(RGBAColor(tone.light).hex)"
        }
        let mask = unsharpMask.map { "\($0.mode.rawValue):\($0.weight):\($0.divider)" } ?? ""
        return ",adjust=\(brightness):\(contrast):\(saturation),monochrome=\(tones[0]),duotone=\(tones[1]),"
            + "unsharp=\(mask),pixelate=\(pixelSide)"
    }

    /// The effects on colours, which precede blur and sharpen.
    var colors: TransformChain {
        var chain = TransformChain()
        if brightness != 0 || contrast != 1 || saturation != 1 {
            let share = Double(brightness) / 255
            chain = .adjust(brightness: share, contrast: contrast, saturation: saturation)
        }
        if monochrome.intensity > 0 {
            chain = chain.appending(
                .monochrome(intensity: monochrome.intensity, color: monochrome.color)
            )
        }
        if duotone.intensity > 0 {
            chain = chain.appending(
                .duotone(intensity: duotone.intensity, dark: duotone.color, light: duotone.light)
            )
        }
        return chain
    }

    /// Returns the unsharp mask, if there is one for such an image.
    func sharpening(isReduced: Bool, isSharpened: Bool) -> TransformChain {
        guard let unsharpMask else { return [] }
        switch unsharpMask.mode {
        case .none: return []
        case .auto where !isReduced || isSharpened: return []
        case .auto, .always: return .convolve(unsharpMask.kernel)
        }
    }

    /// The blocks of one colour, which follow blur and sharpen.
    var blocks: TransformChain { pixelSide > 0 ? .pixelate(side: pixelSide) : [] }
}

/// The colours that imgproxy's options lay below and on the finished image.
struct ImgproxyOverlays: Hashable {
    var background: RGBColor?
    /// 0...1; without a background it has no effect.
    var backgroundOpacity = 1.0
    /// 0...1; 0 draws nothing.
    var colorOpacity = 0.0
    var color = RGBColor.black
    /// Whether transparent pixels stay transparent.
    var keepsAlpha = false
    /// 0...1; 0 draws nothing.
    var gradientOpacity = 0.0
    var gradientColor = RGBColor.black
    /// Clockwise from downwards.
    var gradientDegrees = 0.0
    var gradientStart = 0.0
    var gradientStop = 1.0

    var chain: TransformChain {
        var chain = backdrop
        if colorOpacity > 0 {
            let tint = RGBAColor(color, opacity: colorOpacity)
            chain = chain.appending(.tint(tint, blend: keepsAlpha ? .sourceAtop : .sourceOver))
        }
        if gradientOpacity > 0 {
            let gradient = TransformChain.gradient(
                RGBAColor(gradientColor, opacity: gradientOpacity),
                degrees: gradientDegrees,
                from: gradientStart,
                to: gradientStop
            )
            chain = chain.appending(gradient)
        }
        return chain
    }

    private var backdrop: TransformChain {
        guard let background else { return [] }
        guard backgroundOpacity < 1 else { return .flatten(onto: background) }
        let translucent = RGBAColor(background, opacity: backgroundOpacity)
        return translucent.alpha == 0 ? [] : .tint(translucent, blend: .destinationOver)
    }
}

extension RGBAColor {
    /// Creates a colour with an opacity of 0...1, rounded to the nearest level.
    init(_ color: RGBColor, opacity: Double) {
        self.init(color)
        alpha = UInt8((min(1, max(0, opacity)) * 255).rounded())
    }
}
