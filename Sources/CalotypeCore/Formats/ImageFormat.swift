/// The file format of an encoded image.
///
/// Open: another package defines its own with ``init(rawValue:)``.
public struct ImageFormat: RawRepresentable, Hashable, Sendable {
    /// The canonical name, such as `jpeg`; lower-case ASCII.
    public var rawValue: String

    /// Creates a format from its name.
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
    /// SVG, also gzip-compressed; decoded in codec workers only.
    public static let svg = ImageFormat(rawValue: "svg")

    /// Digital Negative, Adobe's camera raw format.
    public static let dng = ImageFormat(rawValue: "dng")
    /// Canon's raw formats: CR2, based on TIFF, and CR3, based on ISO/IEC 14496-12.
    public static let cr2 = ImageFormat(rawValue: "cr2"), cr3 = ImageFormat(rawValue: "cr3")
    /// Nikon's raw format, based on TIFF.
    public static let nef = ImageFormat(rawValue: "nef")
    /// Sony's raw format, based on TIFF.
    public static let arw = ImageFormat(rawValue: "arw")
    /// Pentax's raw format, based on TIFF.
    public static let pef = ImageFormat(rawValue: "pef")
    /// Samsung's raw format, based on TIFF.
    public static let srw = ImageFormat(rawValue: "srw")
    /// Raw format of Panasonic and Leica, similar to TIFF.
    public static let rw2 = ImageFormat(rawValue: "rw2")
    /// Fujifilm's raw format.
    public static let raf = ImageFormat(rawValue: "raf")

    /// The camera raw formats whose embedded previews are decoded.
    ///
    /// Most start like TIFF, so ``init(sniffing:)`` recognizes none of them; a decoder recognizes them by the
    /// file's directories.
    public static let cameraRaws: [ImageFormat] = [.dng, .cr2, .cr3, .nef, .arw, .pef, .srw, .rw2, .raf]

    /// The formats that ``init(sniffing:)`` recognizes.
    public static let recognized: [ImageFormat] = [
        .jpeg, .png, .gif, .webP, .avif, .heic, .jpegXL, .tiff, .bmp, .ico, .svg,
    ]
}

extension ImageFormat {
    /// The media type, as in `Content-Type` (IANA); `application/octet-stream` for a format of another
    /// package.
    public var mediaType: String { Self.names[self]?.mediaTypes.first ?? "application/octet-stream" }

    /// The usual file name extensions, without the dot, most common first; the canonical name for a format of
    /// another package.
    public var fileExtensions: [String] { Self.names[self]?.fileExtensions ?? [rawValue] }

    /// The most common file name extension, without the dot: `jpg`.
    public var fileExtension: String { fileExtensions.first ?? rawValue }

    /// Creates a format from a media type, ignoring case and parameters; accepts `image/jpg` and other common
    /// aliases.
    public init?(mediaType text: String) {
        let name = text.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        guard let format = Self.named(where: { $0.mediaTypes.contains(name) }) else { return nil }
        self = format
    }

    /// Creates a format from a file name extension, ignoring case, with or without the dot.
    public init?(fileExtension text: String) {
        let name = (text.hasPrefix(".") ? text.dropFirst() : text[...]).lowercased()
        guard let format = Self.named(where: { $0.fileExtensions.contains(name) }) else { return nil }
        self = format
    }

    /// Renamed to ``mediaType``.
    @available(*, unavailable, renamed: "mediaType")
    public var mimeType: String { mediaType }

    /// Renamed to ``webP``.
    @available(*, unavailable, renamed: "webP")
    public static var webp: ImageFormat { .webP }

    private typealias Names = (mediaTypes: [String], fileExtensions: [String])

    private static func named(where isNamed: (Names) -> Bool) -> ImageFormat? {
        (recognized + cameraRaws).first { names[$0].map(isNamed) ?? false }
    }

    private static let names: [ImageFormat: Names] = [
        .jpeg: (["image/jpeg", "image/jpg", "image/pjpeg"], ["jpg", "jpeg", "jpe", "jfif"]),
        .png: (["image/png", "image/apng", "image/x-png"], ["png", "apng"]),
        .gif: (["image/gif"], ["gif"]),
        .webP: (["image/webp"], ["webp"]),
        .avif: (["image/avif", "image/avif-sequence"], ["avif", "avifs"]),
        .heic: (
            ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"],
            ["heic", "heif", "heics", "hif"]
        ),
        .jpegXL: (["image/jxl"], ["jxl"]),
        .tiff: (["image/tiff", "image/tiff-fx"], ["tiff", "tif"]),
        .bmp: (["image/bmp", "image/x-ms-bmp", "image/x-bmp"], ["bmp", "dib"]),
        .ico: (["image/vnd.microsoft.icon", "image/x-icon"], ["ico", "cur"]),
        .svg: (["image/svg+xml"], ["svg", "svgz"]),
        .dng: (["image/x-adobe-dng", "image/dng"], ["dng"]),
        .cr2: (["image/x-canon-cr2"], ["cr2"]),
        .cr3: (["image/x-canon-cr3"], ["cr3"]),
        .nef: (["image/x-nikon-nef"], ["nef", "nrw"]),
        .arw: (["image/x-sony-arw"], ["arw", "sr2"]),
        .pef: (["image/x-pentax-pef"], ["pef"]),
        .srw: (["image/x-samsung-srw"], ["srw"]),
        .rw2: (["image/x-panasonic-rw2"], ["rw2", "rwl"]),
        .raf: (["image/x-fuji-raf"], ["raf"]),
    ]
}

extension ImageFormat: CustomStringConvertible {
    /// The canonical name.
    public var description: String { rawValue }
}
