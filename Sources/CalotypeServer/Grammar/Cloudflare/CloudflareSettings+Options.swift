import CalotypeCore
import CalotypeTransforms

extension CloudflareSettings {
    /// The maximum of `blur(sigma:)`.
    private static let maxSigma = 200.0
    private static let maxDensity = 10.0

    /// Applies options of the size and the orientation.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applySize(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "width": frame.width = try Self.side(option)
        case "height": frame.height = try Self.side(option)
        case "dpr": frame.dpr = try option.positive(0, max: Self.maxDensity)
        case "fit":
            guard let value = Fit(rawValue: String(option.text(0))) else {
                throw option.error("\(option.text(0).quoted) is not a fit")
            }
            fit = value
        case "gravity": frame.placement = try Self.placement(option)
        case "rotate":
            guard let turn = QuarterTurn(rawValue: try option.integer(0, 90...270)) else {
                throw option.error("the angle must be 90, 180 or 270")
            }
            frame.turn = turn
        case "flip":
            guard ["h", "v", "hv"].contains(option.text(0)) else { throw option.error("use h, v or hv") }
            (flipsHorizontally, flipsVertically) = (option.text(0) != "v", option.text(0) != "h")
        case "trim": try applyTrim(option)
        case "trim.top": trim.top = try option.side(0)
        case "trim.left": trim.left = try option.side(0)
        case "trim.width": trim.width = try option.integer(0, 1...option.limits.maxSide)
        case "trim.height": trim.height = try option.integer(0, 1...option.limits.maxSide)
        default: return false
        }
        return true
    }

    private static func side(_ option: OptionArguments) throws(RequestError) -> Int {
        if option.text(0) == "auto" { throw option.unsupported("a width by the device is not supported") }
        return try option.integer(0, 1...option.limits.maxSide)
    }

    /// Parses a side, `auto`, or `XxY` with fractions of the image.
    private static func placement(_ option: OptionArguments) throws(RequestError) -> Placement {
        switch option.text(0) {
        case "auto": return Placement(anchor: .smart)
        case "left": return Placement(anchor: .side(.left))
        case "right": return Placement(anchor: .side(.right))
        case "top": return Placement(anchor: .side(.top))
        case "bottom": return Placement(anchor: .side(.bottom))
        case "face": throw option.unsupported("face detection is not supported")
        default:
            let parts = option.text(0).parts(between: UInt8(ascii: "x"), atMost: 3)
            let point = OptionArguments(name: option.name, values: parts, limits: option.limits)
            guard parts.count == 2 else { throw option.error("\(option.text(0).quoted) is not a gravity") }
            return Placement(anchor: .focus(x: try point.number(0, 0...1), y: try point.number(1, 0...1)))
        }
    }

    /// Parses `top;right;bottom;left`.
    private mutating func applyTrim(_ option: OptionArguments) throws(RequestError) {
        guard !option.text(0).hasPrefix("border") else {
            throw option.unsupported("trimming by colour is not supported")
        }
        let parts = option.text(0).parts(between: UInt8(ascii: ";"), atMost: 5)
        let sides = OptionArguments(name: option.name, values: parts, limits: option.limits)
        guard parts.count == 4 else { throw option.error("write it as top;right;bottom;left") }
        (trim.top, trim.right) = (try sides.side(0), try sides.side(1))
        (trim.bottom, trim.left) = (try sides.side(2), try sides.side(3))
    }

    /// Multiplies the trimmed pixels by the density, once all options are known.
    mutating func scaleTrim() {
        let scaled = { [dpr = frame.dpr] (side: Int) in Int(clamping: Double(side) * dpr) }
        (trim.top, trim.right) = (scaled(trim.top), scaled(trim.right))
        (trim.bottom, trim.left) = (scaled(trim.bottom), scaled(trim.left))
        trim.width = trim.width.map { max(1, scaled($0)) }
        trim.height = trim.height.map { max(1, scaled($0)) }
    }

    /// Applies options that change colours.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyPixels(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "background": background = try option.cssColor(0)
        case "blur": blurSigma = min(Self.maxSigma, try option.number(0, 1...250))
        case "sharpen": sharpening = try option.number(0, 0...10)
        case "brightness": brightness = try Self.factor(option, 0.34...4)
        case "contrast": contrast = try Self.factor(option, 0...4)
        case "gamma": gamma = try Self.factor(option, 0.1...10)
        case "saturation": saturation = try option.number(0, 0...4)
        default: return false
        }
        return true
    }

    /// Parses a factor; 0 has no effect.
    private static func factor(
        _ option: OptionArguments,
        _ range: ClosedRange<Double>
    ) throws(RequestError) -> Double? {
        if try option.number(0, 0...10) == 0 { return nil }
        return try option.number(0, range)
    }

    /// Applies options of the result and the response.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyOutput(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "format":
            output = try Self.output(option)
            quality.encoders.isJPEGProgressive = option.text(0) == "baseline-jpeg" ? false : nil
        case "quality":
            guard !["high", "medium-high", "medium-low", "low"].contains(option.text(0)) else {
                throw option.unsupported("perceptual qualities are not supported; use 1 to 100")
            }
            quality.quality = try option.integer(0, 1...100)
        case "anim":
            guard ["true", "false"].contains(option.text(0)) else { throw option.error("use true or false") }
            isStill = option.text(0) == "false"
        case "metadata":
            switch option.text(0) {
            case "none": (stripsMetadata, keepsCopyright) = (true, false)
            case "copyright": (stripsMetadata, keepsCopyright) = (true, true)
            // Positions in originals would be open to clients without a signature.
            case "keep": throw option.unsupported("only none and copyright are supported")
            default: throw option.error("use none or copyright")
            }
        case "onerror":
            guard option.text(0) == "redirect" else { throw option.error("the only value is redirect") }
            redirectsOnError = true
        case "upscale":
            guard option.text(0) == "interpolate" else {
                throw option.unsupported("only interpolate is supported")
            }
        default: return false
        }
        return true
    }

    private static func output(_ option: OptionArguments) throws(RequestError) -> Rendering.Output {
        switch option.text(0) {
        case "auto": return .negotiated
        case "avif": return .format(.avif)
        case "webp": return .format(.webP)
        case "jpeg", "baseline-jpeg": return .format(.jpeg)
        case "json": throw option.unsupported("use /info/ of another grammar")
        default: throw option.error("\(option.text(0).quoted) is not auto, avif, webp, jpeg or baseline-jpeg")
        }
    }
}

extension OptionArguments {
    /// Parses a colour of CSS: a name of CSS 2.1, `#` with three or six digits, or `rgb(…)` and `rgba(…)`
    /// with numbers of 0...255 and an alpha of 1.
    func cssColor(_ index: Int) throws(RequestError) -> RGBColor {
        let text = text(index).lowercased()
        guard text.hasPrefix("rgb"), text.hasSuffix(")") else { return try color(index) }
        let inner = text.drop { $0 != "(" }.dropFirst().dropLast()
        let numbers = inner.split { ", /".contains($0) }
        let parts = OptionArguments(name: name, values: numbers, limits: limits)
        guard ["rgb", "rgba"].contains(text.prefix { $0 != "(" }), (3...4).contains(numbers.count) else {
            throw error("\(text.quoted) is not a colour")
        }
        if numbers.count == 4, try parts.number(3, 0...255) != 1 {
            throw unsupported("only opaque colours are supported")
        }
        return RGBColor(
            red: UInt8(try parts.integer(0, 0...255)),
            green: UInt8(try parts.integer(1, 0...255)),
            blue: UInt8(try parts.integer(2, 0...255))
        )
    }
}
