public import CalotypeCore

/// Settings that many formats share, for callers that do not know the format: the options of a command, the
/// query of a URL.
///
/// ``ImageEncoder/adjusted(by:)`` returns an encoder with them.
public struct EncodeAdjustment: Hashable, Sendable {
    /// The resolution of the chroma samples of a lossy format.
    public enum Chroma: String, Hashable, Sendable, Codable, CaseIterable {
        /// One chroma sample for each pixel: 4:4:4.
        case full
        /// Half the chroma samples horizontally and vertically: 4:2:0.
        case halved
    }

    /// The content that an encoder is tuned for.
    public enum Content: String, Hashable, Sendable, Codable, CaseIterable {
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
    }

    /// 0...100 on the format's own scale; `nil`, the default, leaves the encoder's quality unchanged.
    ///
    /// A format without a quality ignores it.
    public var quality: Int?

    /// Whether every pixel must be preserved, which formats without a lossless mode reject; false, the
    /// default, leaves the encoder unchanged.
    public var isLossless: Bool

    /// The effort for a smaller result, from 0, the fastest, to 9, the smallest; `nil`, the default, leaves
    /// the encoder's effort unchanged.
    ///
    /// It is mapped to 0...6 for WebP, 1...9 for JPEG XL, levels 0...9 for PNG and speeds 10...0 for AVIF; a
    /// format without such a scale ignores it.
    public var effort: Int?

    /// The effort on the format's own scale, instead of ``effort``; `nil`, the default, for no change.
    ///
    /// It is 0...6 for WebP, 1...9 for JPEG XL, a level of 0...9 for PNG, and a speed of 10...0 for AVIF; a
    /// format without such a scale ignores it.
    public var nativeEffort: Int?

    /// The resolution of the chroma samples; `nil`, the default, leaves the encoder's unchanged.
    ///
    /// JPEG and AVIF support it; other formats ignore it.
    public var chroma: Chroma?

    /// The maximum number of colours of a palette, 2...256; `nil`, the default, leaves the encoder unchanged.
    ///
    /// PNG and GIF support it; other formats ignore it.
    public var maxColorCount: Int?

    /// The content that the encoder is tuned for; `nil`, the default, leaves the encoder unchanged.
    ///
    /// WebP supports it; other formats ignore it.
    public var content: Content?

    /// Whether the whole image is visible early while its bytes arrive; false, the default, leaves the
    /// encoder unchanged.
    ///
    /// JPEG is then written in several scans, PNG in several passes; other formats reject it.
    public var isProgressive: Bool

    /// The colour behind translucent pixels in a format without alpha; `nil`, the default, leaves the
    /// encoder's colour unchanged.
    public var background: RGBColor?

    /// The maximum size of the result in bytes; `nil`, the default, leaves the encoder's limit unchanged.
    public var maxByteCount: Int?

    /// Whether the result contains the copyright (``EncodeOptions/keepsCopyright``); false, the default,
    /// leaves the encoder unchanged.
    public var keepsCopyright: Bool

    /// Whether the result contains the metadata (``EncodeOptions/keepsMetadata``); false, the default, leaves
    /// the encoder unchanged.
    public var keepsMetadata: Bool

    /// Creates an adjustment; by default it changes nothing.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: True to preserve every pixel.
    ///   - effort: 0...9.
    ///   - nativeEffort: The effort on the format's own scale.
    ///   - chroma: The resolution of the chroma samples.
    ///   - maxColorCount: The maximum number of colours of a palette.
    ///   - content: The content that the encoder is tuned for.
    ///   - isProgressive: True to show the whole image early.
    ///   - background: The colour behind translucent pixels in a format without alpha.
    ///   - maxByteCount: The maximum size of the result in bytes.
    ///   - keepsCopyright: True to write the copyright.
    ///   - keepsMetadata: True to write Exif, XMP and IPTC.
    public init(
        quality: Int? = nil,
        isLossless: Bool = false,
        effort: Int? = nil,
        nativeEffort: Int? = nil,
        chroma: Chroma? = nil,
        maxColorCount: Int? = nil,
        content: Content? = nil,
        isProgressive: Bool = false,
        background: RGBColor? = nil,
        maxByteCount: Int? = nil,
        keepsCopyright: Bool = false,
        keepsMetadata: Bool = false
    ) {
        self.quality = quality
        self.isLossless = isLossless
        self.effort = effort
        self.nativeEffort = nativeEffort
        self.chroma = chroma
        self.maxColorCount = maxColorCount
        self.content = content
        self.isProgressive = isProgressive
        self.background = background
        self.maxByteCount = maxByteCount
        self.keepsCopyright = keepsCopyright
        self.keepsMetadata = keepsMetadata
    }
}

extension EncodeAdjustment {
    package static let effortRange = 0...9

    /// Validates the settings that encoders do not validate themselves.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` for an effort out of range, and with
    ///   `unsupportedFeature` for a progressive result, or a lossless one, in a format without one.
    func check(
        for format: ImageFormat,
        hasProgressive: Bool = false,
        absenceOfLossless: String? = nil
    ) throws(EncodeError) {
        if let effort { try EncodeError.check(effort, in: Self.effortRange, "effort", format) }
        let lacksProgressive = isProgressive && !hasProgressive
        let absence = lacksProgressive ? "progressive \(format) is not supported; use jpeg or png" : nil
        guard let detail = absence ?? (isLossless ? absenceOfLossless : nil) else { return }
        throw EncodeError(.unsupportedFeature, format: format, detail: detail)
    }

    /// Returns the effort on a format's own scale, from its fastest to its smallest; `own` if none is given.
    func effort(from fastest: Int, to smallest: Int, else own: Int) -> Int {
        if let nativeEffort { return nativeEffort }
        guard let effort else { return own }
        let span = Double(smallest - fastest) / Double(Self.effortRange.upperBound)
        return fastest + Int((Double(effort) * span).rounded())
    }
}
