import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes JPEG with libjpeg-turbo: gray stays gray, the rest becomes YCbCr; no metadata is written but
/// whose the picture is, on request.
///
/// Translucent pixels are laid over the options' background. With a `byteCountMax` the quality is lowered,
/// down to 1, to the highest that fits.
public struct JPEGEncoder: ImageEncoder {
    /// How many chroma samples are kept.
    public enum ChromaSubsampling: String, Hashable, Sendable, CaseIterable {
        /// 4:2:0 below quality 90, 4:4:4 from there on.
        case automatic
        /// A chroma sample for each pixel.
        case yuv444
        /// Half of them across.
        case yuv422
        /// Half of them across and down.
        case yuv420
    }

    /// 0...100 on the scale of libjpeg, which takes 0 for 1; 90 unless set.
    public var quality: Int

    /// Whether the scans bring the whole picture early, coarse at first; false unless set.
    public var isProgressive: Bool

    /// How many chroma samples are kept; automatic unless set.
    public var chromaSubsampling: ChromaSubsampling

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isProgressive: Whether the scans bring the whole picture early.
    ///   - chromaSubsampling: How many chroma samples are kept.
    ///   - options: The settings that all encoders share.
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
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range,
    ///   `unsupportedFeature` where a side is longer than 65,500 pixels, and `limitExceeded` where not even
    ///   quality 0 is within `byteCountMax`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let image = try options.resized(image, for: .jpeg)
        let side = max(image.size.width, image.size.height)
        guard side <= cc_jpeg_side_max else {
            throw EncodeError(
                .unsupportedFeature,
                format: .jpeg,
                detail: "\(image.size) pixels; a side of a JPEG has at most \(cc_jpeg_side_max)"
            )
        }
        return try options.highestFitting(0...quality, of: image.size, format: .jpeg) {
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
        let chroma = chromaFactors(quality: quality)
        let background = options.background
        var encoding = cc_jpeg_encoding(
            quality: Int32(quality),
            is_progressive: isProgressive ? 1 : 0,
            chroma_across: chroma.across,
            chroma_down: chroma.down,
            background: (background.red, background.green, background.blue),
            byte_count_max: options.outputByteCountMax
        )
        do throws(CodecFailure) {
            return try unsafe image.encoded(exif: options.exif(of: image)) { pixels, output, message in
                unsafe cc_jpeg_encode(pixels, &encoding, output, message)
            }
        } catch  where error.status == .limit_exceeded && options.byteCountMax != nil {
            return nil
        } catch {
            throw error.encodeError(.jpeg)
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
    /// The same encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` where it is to be lossless.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> JPEGEncoder {
        try adjustment.check(for: format, hasProgressive: true)
        guard !adjustment.isLossless else {
            throw EncodeError(
                .unsupportedFeature,
                format: .jpeg,
                detail: "JPEG is never lossless; choose png or webp"
            )
        }
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isProgressive = adjustment.isProgressive || isProgressive
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
