import CalotypeCore
import CalotypeTransforms

extension ImgproxySettings {
    /// Applies options of position and orientation.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyPlace(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "gravity": try layout.placement.apply(option, allowsSmart: true)
        case "extend":
            try option.expect(1...4)
            try Self.extend(&layout.canvas, option)
        case "extend_aspect_ratio":
            try option.expect(1...4)
            try Self.extend(&layout.aspectCanvas, option)
        case "crop": layout.area = try Self.area(option)
        case "padding": layout.padding = try padding(option)
        case "rotate":
            try option.expect(1...1)
            let degrees = try option.integer(0, -3_600...3_600)
            guard degrees.isMultiple(of: 90) else { throw option.error("the angle must be a multiple of 90") }
            layout.turn = QuarterTurn(rawValue: (degrees % 360 + 360) % 360)
        case "flip":
            try option.expect(1...2)
            if option.isGiven(0) { layout.flipsHorizontally = option.flag(0) }
            if option.isGiven(1) { layout.flipsVertically = option.flag(1) }
        case "auto_rotate":
            try option.expect(1...1)
            appliesOrientation = option.flag(0)
        default: return false
        }
        return true
    }

    private static func area(_ option: OptionArguments) throws(RequestError) -> ImgproxyLayout.Area {
        try option.expect(2...5)
        let limit = Double(option.limits.maxSide)
        var area = ImgproxyLayout.Area(
            width: try option.number(0, 0...limit),
            height: try option.number(1, 0...limit)
        )
        guard option.count > 2 else { return area }
        var placement = Placement()
        try placement.apply(option.dropFirst(2), allowsSmart: true)
        area.placement = placement
        return area
    }

    /// Parses `top:right:bottom:left`; a missing one equals the opposite side.
    private func padding(_ option: OptionArguments) throws(RequestError) -> PixelInsets {
        try option.expect(1...4)
        let side = { (index: Int, otherwise: Int) throws(RequestError) -> Int in
            option.isGiven(index) ? try option.side(index) : otherwise
        }
        let top = try side(0, 0)
        let right = try side(1, top)
        return PixelInsets(top: top, left: try side(3, right), bottom: try side(2, top), right: right)
    }

    /// Applies options that change pixels.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyPixels(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "trim": trim = try Self.trim(option)
        case "background": overlays.background = try Self.background(option)
        case "blur":
            try option.expect(1...1)
            layout.blurSigma = try option.number(0, 0...Self.maxSigma)
        case "sharpen":
            try option.expect(1...1)
            layout.sharpenSigma = try option.number(0, 0...Self.maxSigma)
        default: return false
        }
        return true
    }

    /// The maximum of `blur(sigma:)`.
    private static let maxSigma = 200.0

    private static func trim(_ option: OptionArguments) throws(RequestError) -> Trim? {
        try option.expect(1...4)
        guard !option.flag(2), !option.flag(3) else {
            throw option.unsupported("equal trimming of opposite sides is not supported")
        }
        guard option.isGiven(0) else { return nil }
        let tolerance = Int(try option.number(0, 0...255).rounded())
        guard option.isGiven(1) else { return Trim(tolerance: tolerance, color: nil) }
        guard let color = opaque(option.text(1)) else { throw option.error("write the colour as RRGGBB") }
        return Trim(tolerance: tolerance, color: RGBAColor(color))
    }

    private static func background(_ option: OptionArguments) throws(RequestError) -> RGBColor? {
        if option.count == 3 {
            return RGBColor(
                red: UInt8(try option.integer(0, 0...255)),
                green: UInt8(try option.integer(1, 0...255)),
                blue: UInt8(try option.integer(2, 0...255))
            )
        }
        try option.expect(1...1)
        guard option.isGiven(0) else { return nil }
        guard let color = opaque(option.text(0)) else { throw option.error("write the colour as RRGGBB") }
        return color
    }

    /// Parses three or six hexadecimal digits.
    static func opaque(_ text: Substring) -> RGBColor? {
        guard text.utf8.count == 3 || text.utf8.count == 6, !text.hasPrefix("#"),
            let color = RGBAColor(hex: String(text))
        else { return nil }
        return RGBColor(red: color.red, green: color.green, blue: color.blue)
    }
}
