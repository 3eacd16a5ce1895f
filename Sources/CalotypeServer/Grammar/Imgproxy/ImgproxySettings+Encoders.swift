import CalotypeCore

extension ImgproxySettings {
    /// Applies options of individual encoders; a missing or empty argument changes nothing.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applyEncoders(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "jpeg_options": try applyJPEG(option)
        case "png_options": try applyPNG(option)
        case "webp_options": try applyWebP(option)
        case "avif_options":
            try option.expect(1...1)
            if let choice: EncoderPreferences.AVIFSubsampling = try Self.choice(option, 0) {
                quality.encoders.avifSubsampling = choice
            }
        case "max_animation_frames":
            try option.expect(1...1)
            maxFrameCount = try option.integer(0, 1...Int.max)
        default: return false
        }
        return true
    }

    /// Applies `progressive:no_subsample:trellis:deringing:optimize_scans:quant_table`; the last four need
    /// MozJPEG.
    private mutating func applyJPEG(_ option: OptionArguments) throws(RequestError) {
        try option.expect(1...6)
        if option.isGiven(0) { quality.encoders.isJPEGProgressive = option.flag(0) }
        if option.isGiven(1) { quality.encoders.hasFullJPEGChroma = option.flag(1) }
        let names = ["trellis quantisation", "overshoot deringing", "optimised scans"]
        for (index, name) in zip(2..., names) where option.flag(index) {
            throw option.unsupported("\(name) is not supported; leave the argument empty")
        }
        guard option.isGiven(5), try option.integer(5, 0...8) > 0 else { return }
        throw option.unsupported("only quantization table 0 is supported")
    }

    /// Applies `interlaced:quantize:colors`.
    private mutating func applyPNG(_ option: OptionArguments) throws(RequestError) {
        try option.expect(1...3)
        if option.isGiven(0) { quality.encoders.isPNGInterlaced = option.flag(0) }
        if option.isGiven(1) { quality.encoders.quantizesPNG = option.flag(1) }
        if option.isGiven(2) {
            quality.encoders.maxPNGColorCount =
                try option.integer(2, 2...EncoderPreferences.maxColorCount)
        }
    }

    /// Applies `compression:smart_subsample:preset`.
    private mutating func applyWebP(_ option: OptionArguments) throws(RequestError) {
        try option.expect(1...3)
        switch option.text(0) {
        case "": break
        case "lossy": quality.encoders.isWebPLossless = false
        case "lossless": quality.encoders.isWebPLossless = true
        case "near_lossless":
            throw option.unsupported("near_lossless is not supported; use lossy or lossless")
        case let other: throw option.error("\(other.quoted) is not lossy, near_lossless or lossless")
        }
        if option.flag(1) {
            throw option.unsupported("smart subsampling is not supported; leave the argument empty")
        }
        if let preset: EncoderPreferences.WebPPreset = try Self.choice(option, 2) {
            quality.encoders.webPPreset = preset
        }
    }

    /// Parses one of the words of a type; `nil` for an empty argument.
    private static func choice<Word: RawRepresentable<String> & CaseIterable>(
        _ option: OptionArguments,
        _ index: Int
    ) throws(RequestError) -> Word? {
        guard option.isGiven(index) else { return nil }
        if let word = Word(rawValue: String(option.text(index))) { return word }
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        throw option.error("\(option.text(index).quoted) is not one of \(words)")
    }
}
