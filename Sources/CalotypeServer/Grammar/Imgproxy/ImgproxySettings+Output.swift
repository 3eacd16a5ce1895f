import CalotypeCodecs
import CalotypeCore

extension ImgproxySettings {
    /// Applies options of the output format.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyOutput(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "format":
            try option.expect(1...1)
            format = try Self.format(named: option.text(0), option: option.name)
        case "quality":
            try option.expect(1...1)
            let quality = try option.integer(0, 0...100)
            self.quality.quality = quality == 0 ? nil : quality
        case "format_quality": try applyQualities(option)
        case "max_bytes":
            try option.expect(1...1)
            let count = try option.integer(0, 0...Int.max)
            quality.maxByteCount = count == 0 ? nil : count
        case "skip_processing":
            for name in option.values {
                let isSVG = name == ImageFormat.svg.rawValue
                passthrough.insert(isSVG ? .svg : try Self.format(named: name, option: option.name))
            }
        case "raw":
            try option.expect(1...1)
            isRaw = option.flag(0)
        case "page":
            try option.expect(1...1)
            firstPage = try option.integer(0, 0...Int(Int32.max))
        case "pages":
            try option.expect(1...1)
            pageCount = try option.integer(0, 1...PageSelection.maxCount)
        case "disable_animation":
            try option.expect(1...1)
            isStill = option.flag(0)
        case "strip_metadata":
            try option.expect(1...1)
            stripsMetadata = option.flag(0)
        case "strip_color_profile":
            try option.expect(1...1)
            stripsColorProfile = option.flag(0)
        case "keep_copyright":
            try option.expect(1...1)
            keepsCopyright = option.flag(0)
        case "preserve_hdr":
            try option.expect(1...1)
            keepsDepth = option.flag(0)
        case "enforce_thumbnail":
            try option.expect(1...1)
            guard !option.flag(0) else { throw option.unsupported("not supported by this service") }
        default: return false
        }
        return true
    }

    /// Applies `format:quality:format:quality…`.
    private mutating func applyQualities(_ option: OptionArguments) throws(RequestError) {
        guard option.count.isMultiple(of: 2) else { throw option.error("the quality of a format is missing") }
        for index in stride(from: 0, to: option.count, by: 2) {
            let format = try Self.format(named: option.text(index), option: option.name)
            let quality = try option.integer(index + 1, 0...100)
            self.quality.byFormat[format] = quality == 0 ? nil : quality
        }
    }

    /// Applies options of the response.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyDelivery(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "cachebuster":
            try option.expect(1...1)
            delivery.cacheBuster = String(option.text(0))
        case "expires":
            try option.expect(1...1)
            let seconds = try option.integer(0, 0...Int.max)
            delivery.expires =
                seconds == 0 ? nil : Timestamp(nanosecondsSince1970: 0) + .seconds(seconds)
        case "filename":
            try option.expect(1...2)
            delivery.fileName = try Self.fileName(option)
        case "return_attachment":
            try option.expect(1...1)
            delivery.isAttachment = option.flag(0)
        default: return false
        }
        return true
    }

    /// Applies options of descriptions, below `/info`.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyDescription(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "exif":
            // imgproxy has a second argument for the names of fields, which are fixed here.
            try option.expect(1...2)
            description.includesExif = option.flag(0)
        case "iptc", "xmp", "video_meta":
            try option.expect(1...1)
            guard !option.flag(0) else { throw option.unsupported("not read by this service") }
        default: return false
        }
        description.option = description.option ?? option.name
        return true
    }

    private static func fileName(_ option: OptionArguments) throws(RequestError) -> String {
        guard option.flag(1) else { return String(option.text(0)) }
        guard let bytes = URLText.base64Decoded(option.text(0), toleratesPadding: true),
            let name = String(validating: bytes, as: UTF8.self)
        else { throw option.error("the file name is not URL-safe base64") }
        return name
    }
}
