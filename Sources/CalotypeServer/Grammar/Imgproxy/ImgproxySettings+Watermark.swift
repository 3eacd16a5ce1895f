extension ImgproxySettings {
    /// Applies options of the watermark.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyWatermark(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "watermark": try applyWatermark(option)
        case "watermark_url":
            try option.expect(1...1)
            watermark.source.url = option.isGiven(0) ? try Self.watermarkURL(option) : nil
        case "watermark_size":
            try option.expect(1...2)
            watermark.width = option.isGiven(0) ? try option.side(0) : 0
            watermark.height = option.isGiven(1) ? try option.side(1) : 0
        case "watermark_rotate":
            try option.expect(1...1)
            watermark.source.degrees = try option.number(0, -3_600...3_600)
        default: return false
        }
        return true
    }

    /// Parses `opacity:position:x:y:scale`; an empty argument leaves the value unchanged.
    private mutating func applyWatermark(_ option: OptionArguments) throws(RequestError) {
        try option.expect(1...5)
        if option.isGiven(0) { watermark.opacity = try option.number(0, 0...1) }
        if option.isGiven(1) {
            let word = option.text(1)
            guard word != "ch" else { throw option.unsupported("only “re” repeats a watermark") }
            guard word != "fp" else { throw option.error("“fp” is not a position") }
            watermark.isTiled = word == "re"
            let position = OptionArguments(name: option.name, values: [word], limits: option.limits)
            if word != "re" { try watermark.placement.apply(position, allowsSmart: false) }
        }
        let limit = Double(option.limits.maxSide)
        if option.isGiven(2) { watermark.placement.offsetX = try option.number(2, -limit...limit) }
        if option.isGiven(3) { watermark.placement.offsetY = try option.number(3, -limit...limit) }
        if option.isGiven(4) { watermark.scale = try option.number(4, 0...option.limits.maxScale) }
    }

    private static func watermarkURL(_ option: OptionArguments) throws(RequestError) -> SourceURL {
        guard let bytes = URLText.base64Decoded(option.text(0), toleratesPadding: true),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw option.error("\(option.text(0).quoted) is not URL-safe base64") }
        return try SourceURL(text)
    }
}
