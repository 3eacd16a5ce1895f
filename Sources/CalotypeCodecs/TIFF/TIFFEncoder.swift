import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes TIFF with libvips and libtiff: gray, RGB or RGBA, in strips.
///
/// No metadata is written, and only the first frame of an animation. JPEG compression is lossy and has no
/// alpha: translucent pixels are then composited over the options' background, and with a `maxByteCount` the
/// quality is lowered to the highest that fits. With other compressions, a result that does not fit is an
/// error.
public struct TIFFEncoder: ImageEncoder, Codable {
    /// The compression of the pixels.
    public enum Compression: Hashable, Sendable, Codable {
        /// No compression.
        case none
        /// LZW with horizontal differencing; supported everywhere.
        case lzw
        /// Deflate, as in ZIP and PNG, with horizontal differencing; smaller than LZW.
        case deflate
        /// JPEG at a quality of 0...100.
        case jpeg(quality: Int)
    }

    /// The compression of the pixels; LZW by default.
    public var compression: Compression

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - compression: The compression of the pixels.
    ///   - options: The settings shared by all encoders.
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
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `limitExceeded` if the
    ///   result is larger than `maxByteCount`.
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

    /// Converts the image to pixels that the compression supports: JPEG 8 bits and sRGB, the others any depth
    /// and all colours except PQ and HLG, which have no profile.
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

    private func checkSettings() throws(EncodeError) {
        guard case .jpeg(let quality) = compression else { return }
        try EncodeError.check(quality, in: 0...100, "quality", format)
    }

    /// Encodes with a compression; `nil` if the result exceeds `maxByteCount`.
    private func encode(_ image: Image, _ compression: Compression) throws(EncodeError) -> Data? {
        let background = options.background
        var encoding = cc_tiff_encoding(
            compression: compression.code,
            quality: compression.quality,
            background: (background.red, background.green, background.blue),
            byte_count_max: options.maxOutputByteCount
        )
        return try options.fitting(.tiff) { () throws(CodecFailure) in
            try unsafe image.encoded { pixels, output, message in
                unsafe cc_tiff_encode(pixels, &encoding, output, message)
            }
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

    /// Ignored for lossless compressions.
    fileprivate var quality: Int32 {
        if case .jpeg(let quality) = self { Int32(quality) } else { 90 }
    }
}

extension TIFFEncoder {
    /// Returns the encoder at another quality if it compresses as JPEG, or with a lossless compression.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, and with
    ///   `unsupportedFeature` for a progressive result.
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
