import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes JPEG with libjpeg-turbo: gray stays gray, other images become YCbCr.
///
/// A colour space of standard range other than sRGB is written (ICC), other metadata on request. Translucent
/// pixels are composited over the options' background. With a `maxByteCount` the quality is lowered, down to
/// 1, to the highest that fits.
public struct JPEGEncoder: ImageEncoder, Codable {
    /// The resolution of the chroma samples.
    public enum ChromaSubsampling: String, Hashable, Sendable, Codable, CaseIterable {
        /// 4:2:0 below quality 90, 4:4:4 from there on.
        case automatic
        /// One chroma sample for each pixel.
        case yuv444
        /// Half the chroma samples horizontally.
        case yuv422
        /// Half the chroma samples horizontally and vertically.
        case yuv420
    }

    /// 0...100 on the scale of libjpeg, where 0 equals 1; 90 by default.
    public var quality: Int

    /// Whether the image is written in several scans, coarse at first; false by default.
    public var isProgressive: Bool

    /// The resolution of the chroma samples; automatic by default.
    public var chromaSubsampling: ChromaSubsampling

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isProgressive: True to write several scans, coarse at first.
    ///   - chromaSubsampling: The resolution of the chroma samples.
    ///   - options: The settings shared by all encoders.
    public init(
        quality: Int = 90,
        isProgressive: Bool = false,
        chromaSubsampling: ChromaSubsampling = .automatic,
        options: EncodeOptions = EncodeOptions()
    ) {
        self.quality = quality
        self.isProgressive = isProgressive
        self.chromaSubsampling = chromaSubsampling
        self.options = options
    }

    /// JPEG.
    public var format: ImageFormat { .jpeg }

    /// `jpeg1(…)` with each property.
    public var cacheIdentity: String {
        let own = "q=\(quality),progressive=\(isProgressive ? 1 : 0),chroma=\(chromaSubsampling)"
        return "jpeg1(\(own),\(options.cacheIdentity))"
    }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `unsupportedFeature`
    ///   if a side is longer than 65,500 pixels, and `limitExceeded` if not even quality 0 fits
    ///   `maxByteCount`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let image = try options.resized(image, for: .jpeg, holdsProfile: true)
        try EncodeError.checkSides(of: image, atMost: cc_jpeg_side_max, in: "a JPEG", format)
        return try options.highestFitting(0...quality, of: image.size, format: .jpeg) {
            quality throws(EncodeError) in
            try encode(image, quality: quality)
        }
    }

    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
    }

    /// Encodes at a quality; `nil` if the result exceeds `maxByteCount`.
    private func encode(_ image: Image, quality: Int) throws(EncodeError) -> Data? {
        let chroma = chromaFactors(quality: quality)
        let background = options.background.levels(in: image.colorSpace) ?? options.background
        var encoding = cc_jpeg_encoding(
            quality: Int32(quality),
            is_progressive: isProgressive ? 1 : 0,
            chroma_across: chroma.across,
            chroma_down: chroma.down,
            background: (background.red, background.green, background.blue),
            byte_count_max: options.maxOutputByteCount
        )
        return try options.fitting(.jpeg) { () throws(CodecFailure) in
            try unsafe image.encoded(with: options.blocks(of: image)) { pixels, output, message in
                unsafe cc_jpeg_encode(pixels, &encoding, output, message)
            }
        }
    }

    private func chromaFactors(quality: Int) -> (across: Int32, down: Int32) {
        switch chromaSubsampling {
        case .automatic: quality < 90 ? (2, 2) : (1, 1)
        case .yuv444: (1, 1)
        case .yuv422: (2, 1)
        case .yuv420: (2, 2)
        }
    }
}

extension JPEGEncoder {
    /// Returns the encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` for a lossless result.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> JPEGEncoder {
        let absence = "JPEG is never lossless; choose png or webp"
        try adjustment.check(for: format, hasProgressive: true, absenceOfLossless: absence)
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isProgressive = adjustment.isProgressive || isProgressive
        switch adjustment.chroma {
        case .full?: adjusted.chromaSubsampling = .yuv444
        case .halved?: adjusted.chromaSubsampling = .yuv420
        case nil: break
        }
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
