import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes HEIC with libheif and x265, if libheif includes it: one still image, with alpha, without metadata.
///
/// Gray stays gray; colours are written as YCbCr 4:2:0, the only subsampling that every HEIC viewer supports,
/// or as RGB for lossless. With a `maxByteCount` the quality is lowered, down to 0, to the highest that fits.
/// For an animation the first frame is written.
public struct HEICEncoder: ImageEncoder, Codable {
    /// 0...100 on the scale of libheif; 75 by default.
    public var quality: Int

    /// Whether every pixel is preserved, regardless of the quality; false by default.
    public var isLossless: Bool

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: True to preserve every pixel.
    ///   - options: The settings shared by all encoders.
    public init(quality: Int = 75, isLossless: Bool = false, options: EncodeOptions = EncodeOptions()) {
        self.quality = quality
        self.isLossless = isLossless
        self.options = options
    }

    /// HEIC.
    public var format: ImageFormat { .heic }

    /// `heic1(…)` with each property.
    public var cacheIdentity: String {
        "heic1(q=\(quality),lossless=\(isLossless ? 1 : 0),\(options.cacheIdentity))"
    }

    /// The maximum side in pixels: the limit of HEVC at its highest level.
    private static let maxSide = 16_888

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `unsupportedFeature`
    ///   if libheif lacks x265 or a side is longer than 16,888 pixels, and `limitExceeded` if no quality fits
    ///   `maxByteCount`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let image = try options.resized(image, for: .heic)
        try EncodeError.checkSides(of: image, atMost: Self.maxSide, in: "a HEIC", format)
        let lowest = isLossless ? quality : 0
        return try options.highestFitting(lowest...quality, of: image.size, format: .heic) {
            quality throws(EncodeError) in
            try encode(image, quality: quality)
        }
    }

    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
    }

    /// Encodes at a quality; `nil` if the result exceeds `maxByteCount`.
    private func encode(_ image: Image, quality: Int) throws(EncodeError) -> Data? {
        var encoding = cc_heif_encoding(
            quality: Int32(quality),
            is_lossless: isLossless ? 1 : 0,
            byte_count_max: options.maxOutputByteCount
        )
        return try options.fitting(.heic) { () throws(CodecFailure) in
            try unsafe image.encoded { pixels, output, message in
                unsafe cc_heif_encode(pixels, &encoding, output, message)
            }
        }
    }
}

extension HEICEncoder {
    /// Returns the encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, and with
    ///   `unsupportedFeature` for a progressive result.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> HEICEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isLossless = adjustment.isLossless || isLossless
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
