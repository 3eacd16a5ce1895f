public import CalotypeCodecs
public import CalotypeCore

/// The encoders of a service and their qualities, where a URL does not say.
public struct EncodingDefaults: Sendable {
    /// What makes the bytes of each format.
    public var codecs: CodecRegistry

    /// 1...100 a format; unless set 80 for JPEG, 79 for WebP, 63 for AVIF, 77 for JPEG XL.
    public var qualities: [ImageFormat: Int]

    /// The effort for each format, from 0, the fastest, to 9, the smallest; 2 for AVIF unless set.
    ///
    /// 2 is libavif's speed 8 (`EncodeAdjustment.effort`). Other formats are encoded as their encoders are
    /// set.
    public var efforts: [ImageFormat: Int]

    /// The formats that an original keeps where neither the URL nor the client asks for another; the others
    /// become JPEG, PNG where they are translucent, and WebP where they are animated.
    ///
    /// JPEG, PNG, GIF, WebP and AVIF unless set: what all browsers show.
    public var keptFormats: Set<ImageFormat>

    /// Whether results say whose the picture is, where the original does and the URL does not speak of it:
    /// EXIF's Artist and Copyright; false unless set.
    public var keepsCopyright: Bool

    /// Creates defaults; each is stated at its property.
    public init(
        codecs: CodecRegistry = .publicWeb,
        qualities: [ImageFormat: Int] = [:],
        efforts: [ImageFormat: Int] = [:],
        keptFormats: Set<ImageFormat> = [.jpeg, .png, .gif, .webP, .avif],
        keepsCopyright: Bool = false
    ) {
        self.codecs = codecs
        self.qualities = [.jpeg: 80, .webP: 79, .avif: 63, .jpegXL: 77].merging(qualities) { $1 }
        self.efforts = [.avif: 2].merging(efforts) { $1 }
        self.keptFormats = keptFormats
        self.keepsCopyright = keepsCopyright
    }

    /// The formats that have a quality, so that a limit of bytes can be kept.
    static let lossyFormats: Set<ImageFormat> = [.jpeg, .webP, .avif, .heic, .jpegXL]

    /// Whether pictures are made in a format: it has an encoder, and a decoder too.
    ///
    /// The header of what was made is read when it comes from a store.
    public func makes(_ format: ImageFormat) -> Bool {
        codecs.encoder(for: format) != nil && codecs.hasDecoder(for: format)
    }

    /// The encoder for a format at a rendering's quality.
    ///
    /// - Throws: ``RequestError`` with `unsupportedFormat` or `invalidOption`.
    func encoder(
        for format: ImageFormat,
        _ quality: RenderingQuality
    ) throws(RequestError) -> any ImageEncoder {
        guard let encoder = codecs.encoder(for: format), makes(format) else {
            throw RequestError(.unsupportedFormat, detail: "no encoder makes \(format)")
        }
        let isLossy = Self.lossyFormats.contains(format)
        do throws(EncodeError) {
            return try Self.adjusted(
                encoder,
                EncodeAdjustment(
                    quality: quality.quality(for: format, default: qualities[format]),
                    effort: efforts[format],
                    byteCountMax: isLossy ? quality.byteCountMax : nil,
                    keepsCopyright: keepsCopyright
                )
            )
        } catch {
            throw RequestError(.invalidOption, option: "quality", detail: "\(error)")
        }
    }

    /// Opens the existential.
    private static func adjusted(
        _ encoder: some ImageEncoder,
        _ adjustment: EncodeAdjustment
    ) throws(EncodeError) -> any ImageEncoder {
        guard adjustment.byteCountMax != nil else { return try encoder.adjusted(by: adjustment) }
        return try LastAttemptEncoder(encoder, adjustment)
    }
}
