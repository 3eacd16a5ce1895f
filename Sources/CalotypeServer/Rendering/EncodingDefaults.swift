public import CalotypeCodecs
public import CalotypeCore

/// The encoders of a service, with their default qualities.
public struct EncodingDefaults: Sendable {
    /// The encoders by format.
    public var codecs: CodecRegistry

    /// The default quality by format, 1...100; unless set, 80 for JPEG, 79 for WebP, 63 for AVIF, 77 for JPEG
    /// XL.
    public var qualities: [ImageFormat: Int]

    /// The effort by format, 0 (fastest) to 9 (smallest); 2 for AVIF unless set.
    ///
    /// 2 is libavif's speed 8 (`EncodeAdjustment.effort`). Other formats use the effort of their encoders.
    public var efforts: [ImageFormat: Int]

    /// The effort by format on its own scale, as in `EncodeAdjustment.nativeEffort`; it precedes ``efforts``.
    ///
    /// Empty unless set.
    public var nativeEfforts: [ImageFormat: Int] = [:]

    /// The settings of individual encoders, unless the URL says otherwise.
    public var encoders = EncoderPreferences()

    /// Whether an original is returned, without its metadata, if its result is larger and shows the same
    /// pixels in the same format; false unless set.
    public var keepsSmallerOriginals = false

    /// The formats that an original keeps if neither the URL nor the client requests another one.
    ///
    /// Other formats become JPEG, PNG if translucent, and WebP if animated. JPEG, PNG, GIF, WebP and AVIF
    /// unless set, which all browsers support.
    public var preservedFormats: Set<ImageFormat>

    /// Whether results keep Artist and Copyright of the original's Exif, unless the URL says otherwise; false
    /// unless set.
    public var keepsCopyright: Bool

    /// Whether results have no Exif, XMP and IPTC of the original, unless the URL says otherwise; true unless
    /// set.
    ///
    /// Otherwise JPEG, PNG, WebP and AVIF keep them, with the orientation and the size of the result, and
    /// ``keepsCopyright`` adds nothing.
    public var stripsMetadata: Bool

    /// Whether results are in sRGB, without a profile, unless the URL says otherwise; false unless set.
    ///
    /// Otherwise stills in wider RGB spaces, such as Display P3, keep their colours in formats that hold a
    /// profile (`DecodeOptions.keepsWideGamut`).
    public var stripsColorProfile: Bool

    /// Whether results keep more than 8 bits a channel in PNG, TIFF, AVIF and JPEG XL, unless the URL says
    /// otherwise; false unless set.
    public var keepsDepth = false

    /// Creates defaults; each is stated at its property.
    public init(
        codecs: CodecRegistry = .publicWeb,
        qualities: [ImageFormat: Int] = [:],
        efforts: [ImageFormat: Int] = [:],
        preservedFormats: Set<ImageFormat> = [.jpeg, .png, .gif, .webP, .avif],
        keepsCopyright: Bool = false,
        stripsMetadata: Bool = true,
        stripsColorProfile: Bool = false
    ) {
        self.codecs = codecs
        self.qualities = [.jpeg: 80, .webP: 79, .avif: 63, .jpegXL: 77].merging(qualities) { $1 }
        self.efforts = [.avif: 2].merging(efforts) { $1 }
        self.preservedFormats = preservedFormats
        self.keepsCopyright = keepsCopyright
        self.stripsMetadata = stripsMetadata
        self.stripsColorProfile = stripsColorProfile
    }

    /// The formats that hold more than 8 bits a channel.
    static let deepFormats: Set<ImageFormat> = [.png, .tiff, .avif, .jpegXL]

    /// The formats whose quality can be lowered to meet a limit of bytes.
    static let lossyFormats: Set<ImageFormat> = [.jpeg, .webP, .avif, .heic, .jpegXL]

    /// Whether a format has both an encoder and a decoder.
    ///
    /// The decoder reads the header of a result that comes from a store.
    public func supports(_ format: ImageFormat) -> Bool {
        codecs.encoder(for: format) != nil && codecs.hasDecoder(for: format)
    }

    /// Returns the encoder for a format at a rendering's quality.
    ///
    /// - Throws: ``RequestError`` with `unsupportedFormat` or `invalidOption`.
    func encoder(
        for format: ImageFormat,
        _ quality: RenderingQuality
    ) throws(RequestError) -> any ImageEncoder {
        guard let encoder = codecs.encoder(for: format), supports(format) else {
            throw RequestError(.unsupportedFormat, detail: "there is no encoder for \(format)")
        }
        let isLossy = Self.lossyFormats.contains(format)
        do throws(EncodeError) {
            var adjustment = EncodeAdjustment(
                quality: quality.quality(for: format, default: qualities[format]),
                effort: efforts[format],
                nativeEffort: nativeEfforts[format],
                maxByteCount: isLossy ? quality.maxByteCount : nil,
                keepsCopyright: keepsCopyright,
                keepsMetadata: !stripsMetadata
            )
            quality.encoders.merged(over: encoders).apply(to: &adjustment, for: format)
            return try Self.adjusted(encoder, adjustment)
        } catch {
            throw RequestError(.invalidOption, option: "quality", detail: "\(error)")
        }
    }

    /// Opens the existential.
    private static func adjusted(
        _ encoder: some ImageEncoder,
        _ adjustment: EncodeAdjustment
    ) throws(EncodeError) -> any ImageEncoder {
        guard adjustment.maxByteCount != nil else { return try encoder.adjusted(by: adjustment) }
        return try LastAttemptEncoder(encoder, adjustment)
    }
}
