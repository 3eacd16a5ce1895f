import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes PNG with libpng: gray, RGB or RGBA, in 8 bits a channel or 16.
///
/// Half floats are clamped to 16 bits. A colour space other than sRGB is written (iCCP, cICP), other metadata
/// on request (eXIf, iTXt).
///
/// At most 256 colours are written as a palette, and gray of 2, 4 or 16 even levels in fewer bits, if that
/// changes no pixel. Filters are selected by content.
///
/// An animation becomes APNG, of 8 bits and sRGB: each frame is cropped to its changes, and its duration is
/// in milliseconds. Viewers without animation show its first frame.
///
/// With a `maxColorCount` a still has at most that many colours, dithered, and is written as a palette; each
/// alpha counts as a colour of its own.
///
/// PNG is otherwise lossless and has no quality: a result larger than the options' `maxByteCount` is an
/// error.
public struct PNGEncoder: ImageEncoder, Codable {
    /// 0, uncompressed, to 9, slowest, on the scale of zlib; 6 by default.
    public var compressionLevel: Int

    /// Whether the image is written in the passes of Adam7, coarse at first; false by default.
    public var isInterlaced: Bool

    /// The maximum number of colours of a still, 2...256; `nil`, the default, preserves every pixel.
    ///
    /// A still with more colours is reduced to 8 bits a channel and dithered. The frames of an animation are
    /// not affected.
    public var maxColorCount: Int?

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - compressionLevel: 0...9.
    ///   - isInterlaced: True to write the passes of Adam7.
    ///   - options: The settings shared by all encoders.
    public init(
        compressionLevel: Int = 6,
        isInterlaced: Bool = false,
        options: EncodeOptions = EncodeOptions()
    ) {
        self.compressionLevel = compressionLevel
        self.isInterlaced = isInterlaced
        self.options = options
    }

    /// PNG.
    public var format: ImageFormat { .png }

    /// `png2(…)` with each property.
    public var cacheIdentity: String {
        let own = "level=\(compressionLevel),interlaced=\(isInterlaced ? 1 : 0)"
        let colors = maxColorCount.map { "colors=\($0)," } ?? ""
        return "png2(\(own),\(colors)\(options.cacheIdentity))"
    }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `limitExceeded` if the
    ///   result is larger than `maxByteCount`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        if let animation = options.animation(of: image) {
            return try encode(animation, with: options.blocks(of: image))
        }
        let image = try reduced(try options.resized(image, for: .png, deepest: .rgba16))
        var encoding = encoding
        do throws(CodecFailure) {
            return try unsafe image.encoded(with: options.blocks(of: image)) { pixels, output, message in
                unsafe cc_png_encode(pixels, &encoding, output, message)
            }
        } catch {
            throw error.encodeError(.png)
        }
    }

    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(compressionLevel, in: 0...9, "compressionLevel", format)
        if let maxColorCount {
            try EncodeError.check(maxColorCount, in: 2...256, "maxColorCount", format)
        }
    }

    /// Reduces the colours to ``maxColorCount``.
    private func reduced(_ image: Image) throws(EncodeError) -> Image {
        guard let maxColorCount else { return image }
        do throws(DecodeError) {
            return try image.reducedToEightBits().quantized(maxColorCount: maxColorCount)
        } catch {
            throw EncodeError(.outOfMemory, format: .png, detail: error.detail)
        }
    }

    /// The settings as a C structure.
    var encoding: cc_png_encoding {
        cc_png_encoding(
            level: Int32(compressionLevel),
            is_interlaced: isInterlaced ? 1 : 0,
            keeps_channels: 0,
            byte_count_max: options.maxOutputByteCount
        )
    }
}

extension PNGEncoder {
    /// Returns the encoder with other settings; the format is lossless and has no quality.
    ///
    /// - Throws: ``EncodeError``.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> PNGEncoder {
        try adjustment.check(for: format, hasProgressive: true)
        var adjusted = self
        adjusted.isInterlaced = adjustment.isProgressive || isInterlaced
        adjusted.compressionLevel = adjustment.effort(from: 0, to: 9, else: compressionLevel)
        adjusted.maxColorCount = adjustment.maxColorCount ?? maxColorCount
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
