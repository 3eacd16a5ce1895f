public import CalotypeCodecs
public import CalotypeCore

/// The encoding of a variant: an encoder with its settings.
///
/// Use `.webP(quality: 80)`, or `ImageEncoding(WebPEncoder(quality: 80, effort: 6))` for settings without a
/// short form. Two encodings are equal if their encoders produce the same bytes.
public struct ImageEncoding: Hashable, Sendable {
    /// The encoder.
    public let encoder: any ImageEncoder

    /// The metadata that the original retains if its bytes replace a larger result; `nil`, the default, for
    /// results that are always encoded.
    ///
    /// An original replaces the result if it is smaller without its other metadata and shows the same
    /// pixels: the format is the same, no transform changes the image, all frames are wanted, and no
    /// orientation is applied. Supported for JPEG, PNG, WebP and GIF.
    public var smallerOriginal: RetainedMetadata?

    /// Creates an encoding.
    public init(_ encoder: any ImageEncoder) {
        self.encoder = encoder
    }

    /// The format of the bytes.
    public var format: ImageFormat { encoder.format }

    /// The settings that change the bytes, as text for a key.
    var cacheIdentity: String {
        guard let smallerOriginal else { return encoder.cacheIdentity }
        let kept = [smallerOriginal.orientation, smallerOriginal.copyright].map { $0 ? "1" : "0" }.joined()
        return "\(encoder.cacheIdentity),smaller-original=\(kept)"
    }

    /// Returns true if both produce the same bytes from the same image.
    public static func == (left: ImageEncoding, right: ImageEncoding) -> Bool {
        left.cacheIdentity == right.cacheIdentity
    }

    /// Hashes the identity of the encoder, and of the original's use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cacheIdentity)
    }
}

extension ImageEncoding {
    /// JPEG at a quality of 0...100.
    public static func jpeg(quality: Int = 90) -> ImageEncoding {
        ImageEncoding(JPEGEncoder(quality: quality))
    }

    /// PNG, without loss.
    public static let png = ImageEncoding(PNGEncoder())

    /// WebP at a quality of 0...100.
    public static func webP(quality: Int = 80) -> ImageEncoding {
        ImageEncoding(WebPEncoder(quality: quality))
    }

    /// AVIF at a quality of 0...100.
    public static func avif(quality: Int = 60) -> ImageEncoding {
        ImageEncoding(AVIFEncoder(quality: quality))
    }

    /// JPEG XL at a quality of 0...100.
    public static func jpegXL(quality: Int = 90) -> ImageEncoding {
        ImageEncoding(JPEGXLEncoder(quality: quality))
    }

    /// GIF of at most 256 colours a frame.
    public static let gif = ImageEncoding(GIFEncoder())
}
