public import CalotypeCore
public import FoundationEssentials

/// Decodes icons and cursors: the image with the most pixels, and among equals the one with the most bits.
///
/// An image is a PNG, or a bitmap with a mask, and is decoded as a still. All other content of the file is
/// ignored; an embedded icon is not followed. More than 1024 images are rejected.
///
/// - SeeAlso: Microsoft, "Icons in Win32".
public struct ICODecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// ICO, with CUR.
    public var formats: [ImageFormat] { [.ico] }

    /// Reads the directory and the header of the image that ``decode(_:options:)`` gives.
    ///
    /// - Throws: `DecodeError` if a header is damaged or the image exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        switch try content(of: data, limits: limits) {
        case .file(let file):
            return try file.info(limits: limits)
        case .bitmap(let image):
            try limits.checkSize(image.size, format: .ico)
            return ImageInfo(format: .ico, size: image.size, hasAlpha: true, pixelFormat: .rgba8)
        }
    }

    /// Decodes the largest image.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        switch try content(of: data, limits: options.limits) {
        case .file(let file):
            return try file.decode(options: options)
        case .bitmap(let image):
            try options.limits.checkSize(image.size, format: .ico)
            let plan = DecodePlan(image.size, orientation: .up, hasColorProfile: false, options: options)
            return try plan.image(from: image.decode(), format: .ico)
        }
    }

    private enum Content {
        case file(EmbeddedFile)
        case bitmap(IconImage)
    }

    private func content(of data: Data, limits: DecodeLimits) throws(DecodeError) -> Content {
        try limits.checkInput(data, format: .ico)
        let directory = try IconDirectory(data)
        let best = directory.best
        let bytes = try directory.bytes(of: best, in: data)
        guard best.isPNG else { return .bitmap(try IconImage(bytes)) }
        return .file(try EmbeddedFile(bytes: bytes, decoder: PNGDecoder(), outerFormat: .ico))
    }
}
