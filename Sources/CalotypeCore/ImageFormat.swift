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
    /// SVG, and what gzip has made of it; decoded in codec workers alone.
    public static let svg = ImageFormat(rawValue: "svg")

    /// Digital Negative, Adobe's raw of cameras.
    public static let dng = ImageFormat(rawValue: "dng")
    /// Raws of Canon: CR2, built on TIFF, and CR3, built on ISO/IEC 14496-12.
    public static let cr2 = ImageFormat(rawValue: "cr2"), cr3 = ImageFormat(rawValue: "cr3")
    /// Raw of Nikon, built on TIFF.
    public static let nef = ImageFormat(rawValue: "nef")
    /// Raw of Sony, built on TIFF.
    public static let arw = ImageFormat(rawValue: "arw")
    /// Raw of Pentax, built on TIFF.
    public static let pef = ImageFormat(rawValue: "pef")
    /// Raw of Samsung, built on TIFF.
    public static let srw = ImageFormat(rawValue: "srw")
    /// Raw of Panasonic and Leica, like TIFF.
    public static let rw2 = ImageFormat(rawValue: "rw2")
    /// Raw of Fujifilm.
    public static let raf = ImageFormat(rawValue: "raf")

    /// The raws of cameras whose embedded previews are decoded.
    ///
    /// Most begin as a TIFF does, so ``init(sniffing:)`` tells none of them: a decoder does, by the file's
    /// directories.
    public static let cameraRaws: [ImageFormat] = [.dng, .cr2, .cr3, .nef, .arw, .pef, .srw, .rw2, .raf]

    /// The formats that ``init(sniffing:)`` tells apart.
    public static let recognized: [ImageFormat] = [
        .jpeg, .png, .gif, .webP, .avif, .heic, .jpegXL, .tiff, .bmp, .ico, .svg,
    ]
}

extension ImageFormat {
    /// The media type, as in `Content-Type` (IANA); `application/octet-stream` for a format of another
    /// package.
    public var mediaType: String { Self.names[self]?.mediaTypes.first ?? "application/octet-stream" }

    /// The usual ends of file names, without the dot, the most usual first; the spelling for a format of
    /// another package.
    public var fileExtensions: [String] { Self.names[self]?.fileExtensions ?? [rawValue] }

    /// The most usual end of file names, without the dot: `jpg`.
    public var fileExtension: String { fileExtensions.first ?? rawValue }

    /// The format of a media type, without regard to case and parameters, or `nil`: also of `image/jpg` and
    /// other names in use.
    public init?(mediaType text: String) {
        let name = text.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        guard let format = Self.named(where: { $0.mediaTypes.contains(name) }) else { return nil }
        self = format
    }

    /// The format of a file name's end, without regard to case, or `nil`; with or without the dot before it.
    public init?(fileExtension text: String) {
        let name = (text.hasPrefix(".") ? text.dropFirst() : text[...]).lowercased()
        guard let format = Self.named(where: { $0.fileExtensions.contains(name) }) else { return nil }
        self = format
    }

    /// Spelled otherwise.
    @available(*, unavailable, renamed: "mediaType")
    public var mimeType: String { mediaType }

    /// Spelled otherwise.
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
    /// The spelling.
    public var description: String { rawValue }
}
