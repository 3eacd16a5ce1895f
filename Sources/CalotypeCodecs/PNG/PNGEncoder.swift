import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes PNG with libpng: gray, RGB or RGBA as the image has it, in 8 bits a channel or 16.
///
/// Half floats are cut to 16 bits. Its colour space is written where it is not sRGB (iCCP, cICP), whose it
/// is on request (eXIf), and no other metadata.
///
/// At most 256 colours are written as a palette, and gray of 2, 4 or 16 even levels in as few bits, where
/// that changes no pixel. Filters are chosen by content.
///
/// An animation becomes APNG, of 8 bits and sRGB: of each frame the rectangle that has changed, its duration
/// in milliseconds. Its first frame is what those show who do not animate.
///
/// PNG loses nothing, so there is no quality to lower: where the result is larger than the options'
/// `byteCountMax`, that is an error.
public struct PNGEncoder: ImageEncoder {
    /// 0, not at all, to 9, slowly, on the scale of zlib; 6 unless set.
    public var compressionLevel: Int

    /// Whether the passes of Adam7 bring the whole picture early; false unless set.
    public var isInterlaced: Bool

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - compressionLevel: 0...9.
    ///   - isInterlaced: Whether the passes bring the whole picture early.
    ///   - options: The settings that all encoders share.
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
        "png2(level=\(compressionLevel),interlaced=\(isInterlaced ? 1 : 0),\(options.cacheIdentity))"
    }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, `limitExceeded`
    ///   where the result is larger than `byteCountMax`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try EncodeError.check(compressionLevel, in: 0...9, "compressionLevel", format)
        if let animation = options.animation(of: image) {
            return try encode(animation, exif: options.exif(of: image))
        }
        let image = try options.resized(image, for: .png, deepest: .rgba16)
        var encoding = encoding
        do throws(CodecFailure) {
            return try unsafe image.encoded(exif: options.exif(of: image)) { pixels, output, message in
                unsafe cc_png_encode(pixels, &encoding, output, message)
            }
        } catch {
            throw error.encodeError(.png)
        }
    }

    /// The settings as C takes them.
    var encoding: cc_png_encoding {
        cc_png_encoding(
            level: Int32(compressionLevel),
            is_interlaced: isInterlaced ? 1 : 0,
            keeps_channels: 0,
            byte_count_max: options.outputByteCountMax
        )
    }
}

extension PNGEncoder {
    /// The same encoder with other settings; it has no quality and loses nothing.
    ///
    /// - Throws: ``EncodeError``.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> PNGEncoder {
        try adjustment.check(for: format, hasProgressive: true)
        var adjusted = self
        adjusted.isInterlaced = adjustment.isProgressive || isInterlaced
        adjusted.compressionLevel = adjustment.effort(from: 0, to: 9, else: compressionLevel)
        adjusted.options = options.adjusted(by: adjustment)
        return adjusted
    }
}
