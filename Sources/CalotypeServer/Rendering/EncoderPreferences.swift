import CalotypeCodecs
import CalotypeCore

/// Settings of individual encoders; `nil` leaves a setting to the service, or to the encoder.
public struct EncoderPreferences: Hashable, Sendable {
    /// The content that WebP is tuned for, with the names of libwebp's presets.
    public enum WebPPreset: String, Hashable, Sendable, CaseIterable {
        /// No particular content.
        case standard = "default"
        /// A digital picture, such as a portrait or an indoor shot.
        case picture
        /// An outdoor photograph in natural light.
        case photo
        /// A drawing of lines with high contrast.
        case drawing
        /// A small, colourful image.
        case icon
        /// An image that looks like text.
        case text

        var content: EncodeAdjustment.Content? { EncodeAdjustment.Content(rawValue: rawValue) }
    }

    /// The chroma samples of AVIF, with the names of imgproxy's option.
    public enum AVIFSubsampling: String, Hashable, Sendable, CaseIterable {
        /// 4:2:0 below quality 90, 4:4:4 from there on.
        case auto
        /// 4:2:0.
        case on
        /// 4:4:4.
        case off

        var chroma: EncodeAdjustment.Chroma? {
            switch self {
            case .auto: nil
            case .on: .halved
            case .off: .full
            }
        }
    }

    /// Whether JPEG is written in several scans, coarse at first.
    public var isJPEGProgressive: Bool?
    /// Whether JPEG has one chroma sample for each pixel at every quality.
    public var hasFullJPEGChroma: Bool?
    /// Whether PNG is written in the passes of Adam7, coarse at first.
    public var isPNGInterlaced: Bool?
    /// Whether PNG is reduced to a palette.
    public var quantizesPNG: Bool?
    /// The maximum number of colours of a quantized PNG, 2...256; 256 unless set.
    public var maxPNGColorCount: Int?
    /// Whether WebP preserves every visible pixel.
    public var isWebPLossless: Bool?
    /// The content that WebP is tuned for.
    public var webPPreset: WebPPreset?
    /// The chroma samples of AVIF.
    public var avifSubsampling: AVIFSubsampling?

    /// Creates preferences without any setting.
    public init() {}

    /// The maximum of `png-colors`, and its default.
    static let maxColorCount = 256

    /// Returns the preferences, with those of a service where none is set.
    func merged(over service: EncoderPreferences) -> EncoderPreferences {
        var merged = self
        merged.isJPEGProgressive = isJPEGProgressive ?? service.isJPEGProgressive
        merged.hasFullJPEGChroma = hasFullJPEGChroma ?? service.hasFullJPEGChroma
        merged.isPNGInterlaced = isPNGInterlaced ?? service.isPNGInterlaced
        merged.quantizesPNG = quantizesPNG ?? service.quantizesPNG
        merged.maxPNGColorCount = maxPNGColorCount ?? service.maxPNGColorCount
        merged.isWebPLossless = isWebPLossless ?? service.isWebPLossless
        merged.webPPreset = webPPreset ?? service.webPPreset
        merged.avifSubsampling = avifSubsampling ?? service.avifSubsampling
        return merged
    }

    /// Applies the settings of a format to an adjustment of its encoder.
    func apply(to adjustment: inout EncodeAdjustment, for format: ImageFormat) {
        switch format {
        case .jpeg:
            adjustment.isProgressive = isJPEGProgressive == true
            adjustment.chroma = hasFullJPEGChroma == true ? .full : nil
        case .png:
            adjustment.isProgressive = isPNGInterlaced == true
            let count = maxPNGColorCount ?? Self.maxColorCount
            adjustment.maxColorCount = quantizesPNG == true ? count : nil
        case .webP:
            adjustment.isLossless = isWebPLossless == true
            adjustment.content = webPPreset?.content
        case .avif: adjustment.chroma = avifSubsampling?.chroma
        default: break
        }
    }

    /// The settings as text, in the words of imgproxy's options.
    package var summaries: [String] {
        var parts: [String] = []
        func add(_ name: String, _ value: String?) { if let value { parts.append("\(name) \(value)") } }
        func text(_ flag: Bool?) -> String? { flag.map { $0 ? "on" : "off" } }
        add("jpeg progressive", text(isJPEGProgressive))
        add("jpeg full chroma", text(hasFullJPEGChroma))
        add("png interlaced", text(isPNGInterlaced))
        add("png quantized", text(quantizesPNG))
        add("png colours", maxPNGColorCount.map(String.init))
        add("webp lossless", text(isWebPLossless))
        add("webp preset", webPPreset?.rawValue)
        add("avif subsampling", avifSubsampling?.rawValue)
        return parts
    }
}
