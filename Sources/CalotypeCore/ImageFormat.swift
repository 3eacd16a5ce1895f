/// The file format of an encoded image.
///
/// Open: another package names its own with ``init(rawValue:)``.
public struct ImageFormat: RawRepresentable, Hashable, Sendable {
    /// The one spelling used everywhere, such as `jpeg`; lower-case ASCII.
    public var rawValue: String

    /// Creates a format from its spelling.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// JPEG, ITU-T T.81.
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// PNG and APNG, ISO/IEC 15948 and PNG 3.
    public static let png = ImageFormat(rawValue: "png")
    /// GIF87a and GIF89a.
    public static let gif = ImageFormat(rawValue: "gif")
    /// WebP, RFC 9649.
    public static let webP = ImageFormat(rawValue: "webp")
    /// AVIF: AV1 in HEIF.
    public static let avif = ImageFormat(rawValue: "avif")
    /// HEIC: HEVC in HEIF, ISO/IEC 23008-12.
    public static let heic = ImageFormat(rawValue: "heic")
    /// JPEG XL, ISO/IEC 18181; a bare codestream or in its container.
    public static let jpegXL = ImageFormat(rawValue: "jxl")
    /// TIFF 6.0 and BigTIFF.
    public static let tiff = ImageFormat(rawValue: "tiff")
    /// Windows bitmap.
    public static let bmp = ImageFormat(rawValue: "bmp")
    /// Windows icon and cursor.
    public static let ico = ImageFormat(rawValue: "ico")
    /// SVG, recognised and refused.
    public static let svg = ImageFormat(rawValue: "svg")

    /// The formats that ``init(sniffing:)`` tells apart.
    public static let recognized: [ImageFormat] = [
        .jpeg, .png, .gif, .webP, .avif, .heic, .jpegXL, .tiff, .bmp, .ico, .svg,
    ]
}

extension ImageFormat: CustomStringConvertible {
    /// The spelling.
    public var description: String { rawValue }
}
