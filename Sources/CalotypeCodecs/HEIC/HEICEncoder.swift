import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes HEIC with libheif and x265, where libheif has it: one still image, with alpha, without metadata.
///
/// Gray stays gray; colours are written as YCbCr 4:2:0, the only kind that every player of HEIC shows, or as
/// RGB where nothing may be lost. With a `byteCountMax` the quality is lowered, down to 0, to the highest
/// that fits. Of an animation the first frame is written.
public struct HEICEncoder: ImageEncoder {
    /// 0...100 on the scale of libheif; 75 unless set.
    public var quality: Int

    /// Whether every pixel is kept as it is, whatever the quality; false unless set.
    public var isLossless: Bool

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: Whether every pixel is kept as it is.
    ///   - options: The settings that all encoders share.
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

    /// The longest side that is written, in pixels: what HEVC allows at its highest level.
    private static let sideMax = 16_888

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range,
    ///   `unsupportedFeature` where libheif comes without x265 or a side is longer than 16,888 pixels, and
    ///   `limitExceeded` where nothing is within `byteCountMax`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let image = try options.resized(image, for: .heic)
        guard max(image.size.width, image.size.height) <= Self.sideMax else {
            throw EncodeError(
                .unsupportedFeature,
                format: .heic,
                detail: "\(image.size) pixels; a side of a HEIC has at most \(Self.sideMax)"
            )
        }
        let lowest = isLossless ? quality : 0
        return try options.highestFitting(lowest...quality, of: image.size, format: .heic) {
            quality throws(EncodeError) in
            try encode(image, quality: quality)
        }
    }

    /// Refuses settings that the format does not have.
    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
    }

    /// The bytes at a quality, or `nil` where they are more than `byteCountMax`.
    private func encode(_ image: Image, quality: Int) throws(EncodeError) -> Data? {
        var encoding = cc_heif_encoding(
            quality: Int32(quality),
            is_lossless: isLossless ? 1 : 0,
            byte_count_max: options.outputByteCountMax
        )
        do throws(CodecFailure) {
            return try unsafe image.encoded { pixels, output, message in
                unsafe cc_heif_encode(pixels, &encoding, output, message)
            }
        } catch  where error.status == .limit_exceeded && options.byteCountMax != nil {
            return nil
        } catch {
            throw error.encodeError(.heic)
        }
    }
}

extension HEICEncoder {
    /// The same encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, and with
    ///   `unsupportedFeature` where the result is to be progressive.
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
