/// Explanations of options: their full names, and the names of their arguments.
///
/// An option that a grammar supports and that is not listed here is explained by its name alone.
struct OptionGuide {
    /// The names of the arguments by full name of the option, separated by commas; the last one stands for
    /// all further ones.
    ///
    /// Empty for an option with one value, or none.
    let labels: [String: String]
    let longNames: [String: String]

    /// Returns the explanation of an option: `resize: type fill, width 300`.
    func text(_ option: OptionArguments) -> String {
        let name = longNames[option.name] ?? option.name
        let labels = (labels[name] ?? "").split(separator: ",")
        let arguments = option.values.enumerated().compactMap { index, value -> String? in
            guard !value.isEmpty else { return nil }
            guard let label = labels.isEmpty ? nil : labels[min(index, labels.count - 1)] else {
                return String(value)
            }
            return "\(label) \(value)"
        }
        guard !arguments.isEmpty else { return name }
        return "\(name): \(arguments.joined(separator: ", "))"
    }

    static let imgproxy = OptionGuide(
        labels: [
            "resize": "type,width,height,enlarge,extend,gravity,x,y",
            "size": "width,height,enlarge,extend,gravity,x,y",
            "zoom": "x,y", "extend": "on,gravity,x,y", "extend_aspect_ratio": "on,gravity,x,y",
            "gravity": "type,x,y", "crop": "width,height,gravity,x,y",
            "trim": "threshold,color,equal_hor,equal_ver", "padding": "top,right,bottom,left",
            "flip": "horizontal,vertical", "format_quality": "format and quality", "filename": "name,encoded",
            "watermark": "opacity,position,x,y,scale", "watermark_size": "width,height",
            "adjust": "brightness,contrast,saturation", "monochrome": "intensity,color",
            "duotone": "intensity,dark,light", "crop_aspect_ratio": "ratio,enlarge",
            "unsharp_masking": "mode,weight,divider", "colorize": "opacity,color,keep_alpha",
            "gradient": "opacity,color,direction,start,stop", "skip_processing": "format",
            "rotate": "", "watermark_rotate": "", "page": "", "pages": "",
            "autoquality": "method,target,min,max,error",
            "jpeg_options":
                "progressive,no_subsample,trellis,deringing,optimize_scans,quant_table",
            "png_options": "interlaced,quantize,colors",
            "webp_options": "compression,smart_subsample,preset",
        ],
        longNames: ImgproxySettings.longNames.merging(["pr": "preset"]) { known, _ in known }
    )

    static let thumbor = OptionGuide(
        labels: [
            "blur": "radius,sigma", "fill": "color,also translucent pixels",
            "round_corner": "radius,red,green,blue,transparent",
            "sharpen": "amount,radius,luminance only",
            "watermark": "url,x,y,transparency,width ratio,height ratio",
            "rgb": "red,green,blue", "convolution": "matrix,columns,normalize", "noise": "amount,seed",
            "colorize": "red,green,blue,color", "curve": "all,red,green,blue",
        ],
        longNames: [:]
    )

    static let cloudflare = OptionGuide(
        labels: ["trim": "top;right;bottom;left"],
        longNames: CloudflareSettings.longNames
    )

    static let nextImage = OptionGuide(
        labels: [:],
        longNames: ["w": "width", "q": "quality", "url": "source"]
    )
}

/// An option of a URL, with its explanation.
package struct ExplainedOption: Hashable, Sendable {
    /// The option as spelled in the URL.
    package let option: String
    /// Its full name and its arguments by name.
    package let explanation: String

    init(_ option: some StringProtocol, _ explanation: String) {
        (self.option, self.explanation) = (String(option), explanation)
    }
}

extension ImgproxyGrammar {
    /// Explains the options of a path, also if some of them are invalid.
    ///
    /// - Parameter path: The path after the signature, normalised, with its leading `/`.
    /// - Returns: The options in order; those of the preset `default` first.
    package func explainedOptions(of path: String) -> [ExplainedOption] {
        let separator = String(separator)
        let segments = path.dropFirst().parts(between: UInt8(ascii: "/"))
        var options = segments.prefix(limits.maxOptionCount)
            .prefix { $0 != "plain" && $0.firstRange(ofBytes: separator) != nil }.map { $0 }
        if allowsOnlyPresets { options = segments.prefix(1).map { "pr\(separator)\($0)"[...] } }
        var known = presets.options["default"].map { $0 + options } ?? options
        known.removeAll(where: \.isEmpty)
        return known.map { text in
            let parts = text.split(separator: self.separator, omittingEmptySubsequences: false)
            let option = OptionArguments(
                name: String(parts[0]),
                values: Array(parts.dropFirst()),
                limits: limits
            )
            return ExplainedOption(text, OptionGuide.imgproxy.text(option))
        }
    }
}

extension CloudflareGrammar {
    /// Explains the options of a target, also if some of them are invalid.
    ///
    /// - Throws: ``RequestError`` if the target has no options.
    package func explainedOptions(of target: String) throws(RequestError) -> [ExplainedOption] {
        let text = target.dropFirst(Self.prefix.count).prefix(before: UInt8(ascii: "/"))
        return try options(text).map { option in
            ExplainedOption("\(option.name)=\(option.text(0))", OptionGuide.cloudflare.text(option))
        }
    }
}

extension NextImageGrammar {
    /// Explains the parameters of a target.
    package func explainedOptions(of target: String) -> [ExplainedOption] {
        let query = target.dropping(target.prefix(before: UInt8(ascii: "?")))
        return query.parts(between: UInt8(ascii: "&"), atMost: limits.maxOptionCount).filter { !$0.isEmpty }
            .map { pair in
                let name = pair.prefix(before: UInt8(ascii: "="))
                let value = pair.dropping(name)
                guard ["url", "w", "q"].contains(name) else {
                    return ExplainedOption(pair, "ignored: not a parameter of Next.js")
                }
                let option = OptionArguments(
                    name: String(name),
                    values: [(URLText.percentDecoded(value) ?? String(value))[...]],
                    limits: limits
                )
                return ExplainedOption(pair, OptionGuide.nextImage.text(option))
            }
    }
}

extension ThumborGrammar {
    /// Explains the parts and filters of a path; the first other segment begins the source.
    ///
    /// - Parameter path: The path after the signature.
    /// - Returns: The parts in order.
    package func explainedOptions(of path: String) -> [ExplainedOption] {
        var found: [ExplainedOption] = []
        var rest = path.drop { $0 == "/" }
        while found.count <= limits.maxOptionCount {
            if rest.hasPrefix("filters:") {
                return found + filters(of: rest)
            }
            let segment = rest.prefix(before: UInt8(ascii: "/"))
            guard segment.endIndex < rest.endIndex, let meaning = Self.meaning(of: segment) else { break }
            found.append(ExplainedOption(segment, meaning))
            rest = rest.dropping(segment)
        }
        return found
    }

    private static func meaning(of segment: Substring) -> String? {
        switch segment {
        case "fit-in": return "within the size"
        case "full-fit-in": return "around the size"
        case "adaptive-fit-in": return "within the size, in the orientation of the image"
        case "adaptive-full-fit-in": return "around the size, in the orientation of the image"
        case "left", "center", "right", "top", "middle", "bottom": return "the retained part"
        case "smart": return "the part with the most detail is retained"
        case _ where segment == "trim" || segment.hasPrefix("trim:"): return "borders are removed"
        default: break
        }
        let isOfSize = segment.utf8.allSatisfy { "0123456789x:-".utf8.contains($0) }
        guard segment.contains("x"), isOfSize || segment.contains("orig") else { return nil }
        return segment.contains(":") ? "crop: left x top : right x bottom" : "width x height"
    }

    private func filters(of text: Substring) -> [ExplainedOption] {
        let end = text.firstRange(ofBytes: ")/")?.lowerBound ?? text.endIndex
        let decoded = URLText.percentDecoded(text[..<end].dropFirst("filters:".count)) ?? ""
        return decoded.parts(betweenBytes: "):").prefix(limits.maxOptionCount).filter { !$0.isEmpty }
            .map { filter in
                let name = filter.prefix(before: UInt8(ascii: "("))
                let values = ThumborPath.arguments(filter.dropping(name))
                let option = OptionArguments(name: String(name), values: values, limits: limits)
                return ExplainedOption("\(filter))", OptionGuide.thumbor.text(option))
            }
    }
}
