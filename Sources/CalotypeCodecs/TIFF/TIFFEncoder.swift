import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes TIFF with libvips and libtiff: gray, RGB or RGBA as the image has it, in strips; no metadata is
/// written, and of an animation the first frame.
///
/// JPEG loses, and holds no alpha: translucent pixels are then laid over the options' background, and with a
/// `byteCountMax` the quality is lowered to the highest that fits. Otherwise what does not fit is an error.
public struct TIFFEncoder: ImageEncoder {
    /// How the pixels are packed.
    public enum Compression: Hashable, Sendable {
        /// Not at all.
        case none
        /// LZW, with the differences of neighbours; read everywhere.
        case lzw
        /// As in ZIP and PNG, with the differences of neighbours; smaller than LZW.
        case deflate
        /// JPEG at a quality of 0...100.
        case jpeg(quality: Int)
    }

    /// How the pixels are packed; LZW unless set.
    public var compression: Compression

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - compression: How the pixels are packed.
    ///   - options: The settings that all encoders share.
    public init(compression: Compression = .lzw, options: EncodeOptions = EncodeOptions()) {
        self.compression = compression
        self.options = options
    }

    /// TIFF.
    public var format: ImageFormat { .tiff }

    /// `tiff1(…)` with each property.
    public var cacheIdentity: String {
        "tiff1(compression=\(compression.identity),\(options.cacheIdentity))"
    }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, `limitExceeded`
    ///   where the result is larger than `byteCountMax`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let image = try held(image)
        guard case .jpeg(let quality) = compression else {
            return try options.highestFitting(0...0, of: image.size, format: .tiff) { _ throws(EncodeError) in
                try encode(image, compression)
            }
        }
        return try options.highestFitting(0...quality, of: image.size, format: .tiff) {
            quality throws(EncodeError) in
            try encode(image, .jpeg(quality: quality))
        }
    }

    /// The image in pixels that the compression takes: JPEG in 8 bits and sRGB, the others in any depth, and
    /// colours but for PQ and HLG, which no profile says.
    private func held(_ image: Image) throws(EncodeError) -> Image {
        if case .jpeg = compression { return try options.resized(image, for: .tiff) }
        guard image.colorSpace.isHighRange else {
            return try options.resized(image, for: .tiff, deepest: .rgbaF16)
        }
        let standard: Image
        do throws(DecodeError) {
            standard = try image.firstFrame.convertedToSRGB()
        } catch {
            throw EncodeError(.outOfMemory, format: .tiff, detail: error.detail)
        }
        return try options.resized(standard, for: .tiff, deepest: .rgbaF16)
    }

    /// Refuses settings that the format does not have.
    private func checkSettings() throws(EncodeError) {
        guard case .jpeg(let quality) = compression else { return }
        try EncodeError.check(quality, in: 0...100, "quality", format)
    }

    /// The bytes, or `nil` where they are more than `byteCountMax`.
    private func encode(_ image: Image, _ compression: Compression) throws(EncodeError) -> Data? {
        let background = options.background
        var encoding = cc_tiff_encoding(
            compression: compression.code,
            quality: compression.quality,
            background: (background.red, background.green, background.blue),
            byte_count_max: options.outputByteCountMax
        )
        do throws(CodecFailure) {
            return try unsafe image.encoded { pixels, output, message in
                unsafe cc_tiff_encode(pixels, &encoding, output, message)
            }
        } catch  where error.status == .limit_exceeded && options.byteCountMax != nil {
            return nil
        } catch {
            throw error.encodeError(.tiff)
        }
    }
}

extension TIFFEncoder.Compression {
    fileprivate var identity: String {
        switch self {
        case .none: "none"
        case .lzw: "lzw"
        case .deflate: "deflate"
        case .jpeg(let quality): "jpeg\(quality)"
        }
    }

    fileprivate var code: cc_tiff_compression {
        switch self {
        case .none: .none
        case .lzw: .lzw
        case .deflate: .deflate
        case .jpeg: .jpeg
        }
    }

    /// Not looked at where nothing is lost.
    fileprivate var quality: Int32 {
        if case .jpeg(let quality) = self { Int32(quality) } else { 90 }
    }
}

extension TIFFEncoder {
    /// The same encoder at another quality where it compresses as JPEG does, or losslessly.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, and with
    ///   `unsupportedFeature` where the result is to be progressive.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> TIFFEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.options = options.adjusted(by: adjustment)
        if case .jpeg = compression {
            if adjustment.isLossless {
                adjusted.compression = .lzw
            } else if let quality = adjustment.quality {
                adjusted.compression = .jpeg(quality: quality)
            }
        }
        try adjusted.checkSettings()
        return adjusted
    }
}
