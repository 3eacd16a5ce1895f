import CalotypeCore
import CalotypeTransforms

extension ImgproxySettings {
    /// Applies options of effects.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyEffects(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "adjust":
            try option.expect(1...3)
            if option.isGiven(0) { layout.effects.brightness = try option.integer(0, -255...255) }
            if option.isGiven(1) { layout.effects.contrast = try Self.factor(option, 1) }
            if option.isGiven(2) { layout.effects.saturation = try Self.factor(option, 2) }
        case "brightness":
            try option.expect(1...1)
            layout.effects.brightness = try option.integer(0, -255...255)
        case "contrast":
            try option.expect(1...1)
            layout.effects.contrast = try Self.factor(option, 0)
        case "saturation":
            try option.expect(1...1)
            layout.effects.saturation = try Self.factor(option, 0)
        case "monochrome":
            try option.expect(1...2)
            if option.isGiven(0) { layout.effects.monochrome.intensity = try option.number(0, 0...1) }
            if option.isGiven(1) { layout.effects.monochrome.color = try Self.color(option, 1) }
        case "duotone":
            try option.expect(1...3)
            if option.isGiven(0) { layout.effects.duotone.intensity = try option.number(0, 0...1) }
            if option.isGiven(1) { layout.effects.duotone.color = try Self.color(option, 1) }
            if option.isGiven(2) { layout.effects.duotone.light = try Self.color(option, 2) }
        case "unsharp_masking": try applyUnsharpMask(option)
        case "pixelate":
            try option.expect(1...1)
            let side = try option.side(0)
            layout.effects.pixelSide = side > 1 ? side : 0
        default: return try applyOverlay(name, option)
        }
        return true
    }

    /// Applies options of colours on or behind the finished image.
    private mutating func applyOverlay(
        _ name: String,
        _ option: OptionArguments
    ) throws(RequestError) -> Bool {
        switch name {
        case "background_alpha":
            try option.expect(1...1)
            overlays.backgroundOpacity = try option.number(0, 0...1)
        case "colorize":
            try option.expect(1...3)
            if option.isGiven(0) { overlays.colorOpacity = try option.number(0, 0...1) }
            if option.isGiven(1) { overlays.color = try Self.color(option, 1) }
            if option.isGiven(2) { overlays.keepsAlpha = option.flag(2) }
        case "gradient":
            try option.expect(1...5)
            if option.isGiven(0) { overlays.gradientOpacity = try option.number(0, 0...1) }
            if option.isGiven(1) { overlays.gradientColor = try Self.color(option, 1) }
            if option.isGiven(2) { overlays.gradientDegrees = try Self.direction(option, 2) }
            if option.isGiven(3) { overlays.gradientStart = try option.number(3, 0...1) }
            if option.isGiven(4) { overlays.gradientStop = try option.number(4, 0...1) }
        default: return false
        }
        return true
    }

    private mutating func applyUnsharpMask(_ option: OptionArguments) throws(RequestError) {
        try option.expect(1...3)
        var mask = layout.effects.unsharpMask ?? ImgproxyEffects.UnsharpMask()
        if option.isGiven(0) {
            guard let mode = ImgproxyEffects.UnsharpMask.Mode(rawValue: String(option.text(0))) else {
                throw option.error("\(option.text(0).quoted) is not a mode; use auto, none or always")
            }
            mask.mode = mode
        }
        if option.isGiven(1) { mask.weight = try option.positive(1, max: option.limits.maxScale) }
        if option.isGiven(2) { mask.divider = try option.number(2, 0.1...1_000) }
        layout.effects.unsharpMask = mask
    }

    private static func factor(_ option: OptionArguments, _ index: Int) throws(RequestError) -> Double {
        try option.positive(index, max: 100)
    }

    /// Parses three or six hexadecimal digits.
    private static func color(_ option: OptionArguments, _ index: Int) throws(RequestError) -> RGBColor {
        guard let color = opaque(option.text(index)) else { throw option.error("write the colour as RRGGBB") }
        return color
    }

    /// Parses `down`, `up`, `left`, `right`, or degrees clockwise from downwards.
    private static func direction(_ option: OptionArguments, _ index: Int) throws(RequestError) -> Double {
        if let degrees = directions[option.text(index)] { return degrees }
        return try option.number(index, -3_600...3_600)
    }

    private static let directions: [Substring: Double] = ["down": 0, "left": 90, "up": 180, "right": 270]
}
