public import CalotypeCore
public import FoundationEssentials

/// Decodes icons and cursors: the image with the most pixels, and among equals the one with the most bits.
///
/// For a smaller result, the smallest image that covers it is decoded, if it has the proportions and the bits
/// of the largest: icons are drawn for their size.
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
        try limits.checkInput(data, format: .ico)
        let directory = try IconDirectory(data)
        return try header(of: directory.best, directory, data, limits)
    }

    private func header(
        of entry: IconDirectory.Entry,
        _ directory: IconDirectory,
        _ data: Data,
        _ limits: DecodeLimits
    ) throws(DecodeError) -> ImageInfo {
        switch try content(of: entry, directory, data) {
        case .file(let file):
            return try file.info(limits: limits)
        case .bitmap(let image):
            try limits.checkSize(image.size, format: .ico)
            return ImageInfo(format: .ico, size: image.size, hasAlpha: true, pixelFormat: .rgba8)
        }
    }

    /// Decodes the largest image, or the one for the size of the result.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .ico)
        let directory = try IconDirectory(data)
        let best = directory.best
        if let entry = directory.entry(for: options.target, of: data.count) {
            // The header of the largest image states the format of the pixels, and decides about limits.
            let format = try header(of: best, directory, data, options.limits).pixelFormat
            do throws(DecodeError) {
                if try header(of: entry, directory, data, options.limits).pixelFormat == format {
                    return try decode(entry, directory, data, options)
                }
            } catch {
                guard [.corrupt, .truncated, .unsupportedFeature].contains(error.code) else { throw error }
                // The largest image decides whether the file is damaged.
            }
        }
        return try decode(best, directory, data, options)
    }

    private func decode(
        _ entry: IconDirectory.Entry,
        _ directory: IconDirectory,
        _ data: Data,
        _ options: DecodeOptions
    ) throws(DecodeError) -> Image {
        switch try content(of: entry, directory, data) {
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

    private func content(
        of entry: IconDirectory.Entry,
        _ directory: IconDirectory,
        _ data: Data
    ) throws(DecodeError) -> Content {
        let bytes = try directory.bytes(of: entry, in: data)
        guard entry.isPNG else { return .bitmap(try IconImage(bytes)) }
        return .file(try EmbeddedFile(bytes: bytes, decoder: PNGDecoder(), outerFormat: .ico))
    }
}
