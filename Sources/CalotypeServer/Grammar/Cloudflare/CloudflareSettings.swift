import CalotypeCore
import CalotypeTransforms

/// The combined options of a URL of Cloudflare's; of repeated options the last one applies.
struct CloudflareSettings: Hashable {
    enum Fit: String, Hashable, CaseIterable {
        case contain, cover, crop, pad, squeeze
        case scaleDown = "scale-down"
        case aspectCrop = "aspect-crop"
    }

    var fit = Fit.scaleDown
    var frame = ImgproxyLayout()
    var trim = CloudflareLayout.Trim()
    /// Whether the image is mirrored; before it is rotated.
    var flipsHorizontally = false
    var flipsVertically = false
    var background: RGBColor?
    /// The factors of brightness, contrast, saturation and gamma; `nil` for no change.
    var brightness: Double?
    var contrast: Double?
    var saturation: Double?
    var gamma: Double?
    var blurSigma = 0.0
    var sharpening = 0.0
    var isStill = false
    /// The source's own format unless the URL names one: Cloudflare negotiates only `format=auto`.
    var output = Rendering.Output.preserved
    var quality = RenderingQuality()
    var keepsCopyright: Bool?
    var stripsMetadata: Bool?
    var redirectsOnError = false

    func rendering(of source: SourceURL, _ widths: AllowedWidths) -> Rendering {
        var rendering = Rendering(source: source)
        rendering.frames = isStill ? .first : .all
        rendering.output = output
        rendering.quality = quality
        rendering.keepsCopyright = keepsCopyright
        rendering.stripsMetadata = stripsMetadata
        let layout = layout(widths)
        if !layout.isIdle { rendering.transforms = TransformChain(layout) }
        if let background {
            rendering.transforms = rendering.transforms.appending(.flatten(onto: background))
        }
        return rendering
    }

    private func layout(_ widths: AllowedWidths) -> CloudflareLayout {
        var layout = CloudflareLayout()
        layout.trim = trim
        layout.frame = frame
        let hasBoth = frame.width > 0 && frame.height > 0
        switch fit {
        case .scaleDown: layout.frame.type = .fit
        case .contain, .pad: (layout.frame.type, layout.frame.enlarges) = (.fit, true)
        case .cover: (layout.frame.type, layout.frame.enlarges) = (.fill, true)
        case .crop: layout.frame.type = .fill
        case .aspectCrop: layout.frame.type = .fillDown
        case .squeeze: (layout.frame.type, layout.frame.enlarges) = (hasBoth ? .force : .fit, true)
        }
        // Without a size nothing is enlarged.
        if frame.width == 0, frame.height == 0 { layout.frame.enlarges = false }
        let isSideways = frame.turn == .clockwise90 || frame.turn == .clockwise270
        layout.frame.flipsHorizontally = isSideways ? flipsVertically : flipsHorizontally
        layout.frame.flipsVertically = isSideways ? flipsHorizontally : flipsVertically
        layout.frame.round(to: widths)
        layout.filters = filters
        if fit == .pad, hasBoth {
            // Rounded sides are pixels of the result.
            let size = PixelSize(width: layout.frame.width, height: layout.frame.height)
            layout.box = CloudflareLayout.Box(size: size, color: RGBAColor(background ?? .white))
        }
        return layout
    }

    private var filters: TransformChain {
        var chain = TransformChain()
        // A factor of the stored values: (v + offset − 0.5) × factor + 0.5.
        if let brightness {
            chain = chain.appending(.adjust(brightness: 0.5 - 0.5 / brightness, contrast: brightness))
        }
        if contrast != nil || saturation != nil || gamma != nil {
            chain = chain.appending(
                .adjust(contrast: contrast ?? 1, saturation: saturation ?? 1, gamma: gamma ?? 1)
            )
        }
        if blurSigma > 0 { chain = chain.appending(.blur(sigma: blurSigma)) }
        if sharpening > 0 { chain = chain.appending(.sharpen(sigma: 1, amount: sharpening)) }
        return chain
    }

    static let longNames = [
        "w": "width", "h": "height", "q": "quality", "f": "format", "g": "gravity",
        "scq": "slow-connection-quality", "face-zoom": "zoom",
    ]

    /// Options of Cloudflare that are not supported.
    static let unsupported: Set<String> = [
        "border", "compression", "draw", "segment", "slow-connection-quality", "zoom",
    ]

    /// Applies one option.
    ///
    /// - Throws: ``RequestError`` that names the option.
    mutating func apply(_ option: OptionArguments) throws(RequestError) {
        let name = Self.longNames[option.name] ?? option.name
        if try applySize(name, option) { return }
        if try applyPixels(name, option) { return }
        if try applyOutput(name, option) { return }
        guard Self.unsupported.contains(name) else {
            let detail = "unknown option \(option.name.quoted)"
            throw RequestError(.unknownOption, option: option.name, detail: detail)
        }
        throw option.unsupported("not supported by this service")
    }
}
