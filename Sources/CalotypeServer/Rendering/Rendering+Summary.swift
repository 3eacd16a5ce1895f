import CalotypeCore
import CalotypeTransforms

extension Rendering {
    /// The transform steps as text, in order; empty if there are none.
    package var stepSummaries: [String] {
        transforms.steps.flatMap { step -> [String] in
            switch step {
            case let layout as ImgproxyLayout: layout.summaries
            case let layout as ThumborLayout: layout.summaries
            case let layout as CloudflareLayout: layout.summaries
            default: [Self.words(of: step)]
            }
        }
    }

    /// Returns a transform's name and properties as text: `blur-1(sigma=3.0)` becomes `blur sigma 3.0`.
    static func words(of step: any ImageTransform) -> String {
        let text = step.cacheIdentity
        let name = text.prefix { $0 != "(" }
        let properties = text.dropFirst(name.count).filter { !"()".contains($0) }
        let version = name.lastIndex(of: "-").map { name[$0...].dropFirst() } ?? ""
        let isVersioned = !version.isEmpty && version.allSatisfy(\.isNumber)
        let shown = isVersioned ? name.dropLast(version.count + 1) : name
        let words = properties.replacing("=", with: " ").replacing(",", with: ", ")
        return "\(shown) \(words.count > 160 ? "\(words.prefix(40))…" : words)"
    }
}

extension ImgproxyLayout {
    /// The options that differ from their defaults.
    fileprivate var summaries: [String] {
        var parts: [String] = []
        func add(_ text: String, if isSet: Bool) { if isSet { parts.append(text) } }
        add("turn \(turn?.rawValue ?? 0)°", if: turn != nil)
        add("flip horizontally", if: flipsHorizontally)
        add("flip vertically", if: flipsVertically)
        if let area { parts.append("crop \(area.width)x\(area.height)") }
        add("resize \(type.rawValue) \(width)x\(height)", if: width > 0 || height > 0)
        add("at least \(minWidth)x\(minHeight)", if: minWidth > 0 || minHeight > 0)
        add("zoom \(zoomX):\(zoomY)", if: zoomX != 1 || zoomY != 1)
        add("dpr \(dpr)", if: dpr != 1)
        add("enlarge", if: enlarges)
        add("gravity \(placement.identity)", if: placement != .center)
        add("blur \(blurSigma)", if: blurSigma > 0)
        add("sharpen \(sharpenSigma)", if: sharpenSigma > 0)
        parts += effects.summaries
        add("extend", if: canvas.isOn)
        add("extend to the ratio", if: aspectCanvas.isOn)
        let sides = [padding.top, padding.right, padding.bottom, padding.left]
        add("pad \(sides.map(String.init).joined(separator: ":"))", if: sides != [0, 0, 0, 0])
        if let watermark { parts.append(watermark.summary) }
        return parts
    }
}

extension ImgproxyEffects {
    /// The effects that change an image.
    fileprivate var summaries: [String] {
        var parts = colors.steps.map { Rendering.words(of: $0) }
        if let mask = unsharpMask {
            parts.append("unsharp mask \(mask.mode.rawValue) \(mask.weight):\(mask.divider)")
        }
        return parts + blocks.steps.map { Rendering.words(of: $0) }
    }
}

extension CloudflareLayout {
    /// The options that differ from their defaults.
    fileprivate var summaries: [String] {
        var parts: [String] = []
        if trim != Trim() {
            let part = trim.part(of: PixelSize(width: 0, height: 0))
            let size = [trim.width, trim.height].map { $0.map(String.init) ?? "rest" }
            parts.append("crop \(size[0])x\(size[1]) at \(part.x):\(part.y)")
        }
        parts += frame.summaries + filters.steps.map { Rendering.words(of: $0) }
        if let box { parts.append("pad to \(box.size.width)x\(box.size.height) with #\(box.color.hex)") }
        return parts
    }
}

extension ThumborLayout {
    /// The options that differ from their defaults.
    fileprivate var summaries: [String] {
        var parts: [String] = []
        func add(_ text: String, if isSet: Bool) { if isSet { parts.append(text) } }
        if let crop { parts.append("crop \(crop.width)x\(crop.height) at \(crop.x):\(crop.y)") }
        let isSized = width != .proportional || height != .proportional
        add("\(fit == nil ? "fill" : "fit in") \(width.identity)x\(height.identity)", if: isSized)
        add("align \(alignmentX):\(alignmentY)", if: alignmentX != 0.5 || alignmentY != 0.5)
        add("flip horizontally", if: flipsHorizontally)
        add("flip vertically", if: flipsVertically)
        add("smart", if: isSmart)
        add("keep \(focalAreas.count) focal areas", if: !focalAreas.isEmpty)
        add("stretch", if: stretches)
        add("never enlarge", if: avoidsUpscaling)
        add("enlarge", if: upscales)
        for step in steps {
            switch step {
            case .transform(let chain): parts += chain.steps.map { Rendering.words(of: $0) }
            case .turn(let turn): parts.append("turn \(turn.rawValue)°")
            case .proportion(let part): parts.append("scale by \(part)")
            case .fill(let color): parts.append("fill with #\(color.hex)")
            case .backdrop(.averageColor, _): parts.append("fill with its mean colour")
            case .backdrop(.blurred(let sigma), _): parts.append("fill with itself, blurred by \(sigma)")
            case .watermark(let watermark): parts.append(watermark.summary)
            }
        }
        return parts
    }
}

extension ImgproxyWatermark {
    fileprivate var summary: String {
        let image = source.url.map { "\($0)" } ?? "of the settings"
        var text = "watermark \(image), opacity \(opacity)"
        let gaps = "\(placement.offsetX):\(placement.offsetY)"
        text += isTiled ? ", repeated with gaps \(gaps)" : ", at \(placement.identity)"
        if scale > 0 {
            text += ", fitted into \(scale) of the result"
        } else if width > 0 || height > 0 {
            text += ", fitted into \(width)x\(height)"
        }
        return text + (source.degrees == 0 ? "" : ", turned \(source.degrees)°")
    }
}

extension ThumborWatermark {
    fileprivate var summary: String {
        let image = source.url.map { "\($0)" } ?? ""
        let parts = [widthPart, heightPart].map { $0.map { "\($0)%" } ?? "any" }
        let isFitted = widthPart != nil || heightPart != nil
        return "watermark \(image), opacity \(opacity), at \(x.text):\(y.text)"
            + (isFitted ? ", fitted into \(parts[0]) x \(parts[1])" : "")
    }
}
