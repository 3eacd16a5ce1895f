import CalotypeCore
import CalotypeTransforms

/// The combined segments and filters of a URL.
struct ThumborSettings: Hashable {
    var layout = ThumborLayout()
    /// `nil` for no trimming.
    var trimTolerance: Int?
    var isStill = false
    /// The maximum number of frames; `nil` for the service's.
    var maxFrameCount: Int?
    /// Whether an opaque PNG becomes a JPEG, unless a format is named or accepted.
    var replacesOpaquePNG = false
    var format: ImageFormat?
    var quality = RenderingQuality()
    var stripsMetadata: Bool?
    var stripsColorProfile: Bool?
    var delivery = Delivery()
    /// The scheme of URLs without one.
    var defaultScheme = "http"

    func rendering(of source: SourceURL) -> Rendering {
        var rendering = Rendering(source: source)
        rendering.delivery = delivery
        rendering.quality = quality
        rendering.stripsMetadata = stripsMetadata
        rendering.stripsColorProfile = stripsColorProfile
        rendering.frames = isStill || maxFrameCount == 1 ? .first : .all
        rendering.maxFrameCount = rendering.frames == .all ? maxFrameCount : nil
        rendering.output = format.map { .format($0) } ?? .negotiated
        rendering.replacesOpaquePNG = replacesOpaquePNG
        if let trimTolerance { rendering.transforms = .trim(tolerance: trimTolerance) }
        if !layout.isIdle {
            rendering.transforms = rendering.transforms.appending(TransformChain(layout))
        }
        return rendering
    }

    /// Applies one filter.
    ///
    /// - Throws: ``RequestError`` that names the filter.
    mutating func apply(_ filter: OptionArguments) throws(RequestError) {
        if try applySize(filter) { return }
        if try applyColors(filter) { return }
        if try applyEffects(filter) { return }
        if try applyOutput(filter) { return }
        guard Self.unsupported.contains(filter.name) else {
            let detail = "unknown filter \(filter.name.quoted)"
            throw RequestError(.unknownOption, option: filter.name, detail: detail)
        }
        throw filter.unsupported("not supported by this service")
    }

    static let unsupported: Set<String> = [
        "extract_focal", "frame", "red_eye",
        // Only in imagor.
        "attachment", "bitdepth", "compression", "palette", "crop", "dpi", "draw_detections", "expire",
        "fallback_format", "image", "label", "text", "lossless", "modulate",
        "orient", "padding", "page", "preview", "raw", "redact", "redact_oval", "strip_metadata",
        "to_colorspace", "trim",
    ]

    private mutating func applySize(_ filter: OptionArguments) throws(RequestError) -> Bool {
        switch filter.name {
        case "fill": try applyFill(filter)
        case "watermark": layout.steps.append(.watermark(try watermark(filter)))
        case "stretch":
            try filter.expect(0...0)
            layout.stretches = true
        case "upscale":
            try filter.expect(0...0)
            layout.upscales = true
        case "no_upscale":
            try filter.expect(0...0)
            layout.avoidsUpscaling = true
        case "proportion":
            try filter.expect(1...1)
            layout.steps.append(.proportion(try filter.positive(0, max: 1)))
        case "rotate":
            try filter.expect(1...1)
            let degrees = try filter.integer(0, -3_600...3_600)
            guard degrees.isMultiple(of: 90) else { throw filter.error("the angle must be a multiple of 90") }
            // thumbor rotates counter-clockwise.
            guard let turn = QuarterTurn(rawValue: (360 - degrees % 360) % 360) else { return true }
            layout.steps.append(.turn(turn))
        default: return false
        }
        return true
    }

    private mutating func applyFill(_ filter: OptionArguments) throws(RequestError) {
        try filter.expect(1...2)
        if filter.text(0) == "transparent" { return layout.steps.append(.fill(.clear)) }
        if filter.text(0) == "auto" {
            return layout.steps.append(.backdrop(.averageColor, fillsTransparency: filter.flag(1)))
        }
        if filter.text(0) == "blur" {
            // The radius of thumbor.
            let sigma = Self.gaussianSigma(radius: 50, sigma: 50)
            return layout.steps.append(.backdrop(.blurred(sigma: sigma), fillsTransparency: filter.flag(1)))
        }
        let color = try filter.color(0)
        layout.steps.append(.fill(RGBAColor(color)))
        if filter.flag(1) { layout.steps.append(.transform(.flatten(onto: color))) }
    }

    private mutating func applyColors(_ filter: OptionArguments) throws(RequestError) -> Bool {
        let chain: TransformChain
        switch filter.name {
        case "background_color":
            try filter.expect(1...1)
            chain = .flatten(onto: try filter.color(0))
        case "blur":
            chain = try Self.blur(filter)
        case "brightness":
            try filter.expect(1...1)
            let amount = (255 * (try filter.number(0, -100...100)) / 100).rounded(.towardZero)
            chain = .adjust(brightness: amount / 255)
        case "contrast": chain = try Self.contrast(filter)
        case "saturation":
            try filter.expect(1...1)
            chain = .saturation(aroundBrightness: try filter.number(0, 0...100))
        case "grayscale":
            try filter.expect(0...0)
            chain = .gray(by: .rec601)
        case "sharpen": chain = try Self.sharpen(filter)
        case "round_corner": chain = try Self.corners(filter)
        default: return false
        }
        layout.steps.append(.transform(chain))
        return true
    }

    /// Parses `horizontal|vertical,red,green,blue,transparent`.
    private static func corners(_ filter: OptionArguments) throws(RequestError) -> TransformChain {
        try filter.expect(4...5)
        let radii = filter.text(0).split(separator: "|", omittingEmptySubsequences: false)
        guard radii.count <= 2 else { throw filter.error("write one radius, or two separated by a bar") }
        let sides = OptionArguments(name: filter.name, values: radii, limits: filter.limits)
        let corners = TransformChain.roundCorners(
            horizontalRadius: Double(try sides.side(0)),
            verticalRadius: Double(try sides.side(radii.count - 1))
        )
        if filter.flag(4) { return corners }
        let background = RGBColor(
            red: UInt8(try filter.integer(1, 0...255)),
            green: UInt8(try filter.integer(2, 0...255)),
            blue: UInt8(try filter.integer(3, 0...255))
        )
        return corners.appending(.flatten(onto: background))
    }

    private mutating func applyOutput(_ filter: OptionArguments) throws(RequestError) -> Bool {
        switch filter.name {
        case "format":
            try filter.expect(1...1)
            let name = filter.text(0).lowercased()
            format = name == "heif" ? .heic : try ImgproxySettings.format(named: name, option: "format")
        case "quality":
            try filter.expect(1...1)
            quality.quality = try filter.integer(0, 1...100)
        case "max_bytes":
            try filter.expect(1...1)
            quality.maxByteCount = try filter.integer(0, 1...Int.max)
        // A filter of imagor.
        case "max_frames":
            try filter.expect(1...1)
            maxFrameCount = try filter.integer(0, 1...Int.max)
        case "max_age":
            try filter.expect(1...1)
            delivery.maxAge = .seconds(try filter.integer(0, 0...Self.maxSeconds))
        case "cover":
            try filter.expect(0...0)
            isStill = true
        case "strip_exif":
            try filter.expect(0...0)
            stripsMetadata = true
        case "strip_icc":
            try filter.expect(0...0)
            stripsColorProfile = true
        default: return false
        }
        return true
    }

    /// The largest `max-age` in seconds; caches treat it as forever (RFC 9111 §1.2.2).
    private static let maxSeconds = 1 << 31
}
