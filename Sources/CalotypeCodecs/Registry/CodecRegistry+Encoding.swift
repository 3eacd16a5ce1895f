public import CalotypeCore
public import FoundationEssentials

extension CodecRegistry {
    /// Returns the format in which an image is encoded if none is given.
    ///
    /// It is the image's own format if that has an encoder and can hold the pixels; JPEG, for example, cannot
    /// hold a photograph with rounded corners, and an icon is never chosen. Otherwise it is WebP for an
    /// animation, PNG for an image with translucent pixels or drawn from SVG, and JPEG for an opaque one. An
    /// image of more than 8 bits or outside sRGB becomes PNG if its own format does not support these.
    public func encodingFormat(for image: Image) -> ImageFormat {
        if image.pixelFormat.isDeep || image.colorSpace != .sRGB {
            guard let own = image.format, Self.deepFormats.contains(own), encoder(for: own) != nil else {
                return .png
            }
            return own
        }
        // An icon has at most 256 pixels a side, so it must be named.
        if let own = image.format, own != .ico, encoder(for: own) != nil, own != .jpeg || image.isOpaque {
            return own
        }
        if image.animation != nil, encoder(for: .webP) != nil { return .webP }
        return image.isOpaque && image.format != .svg ? .jpeg : .png
    }

    /// The formats whose encoders write more than 8 bits and colour spaces other than sRGB.
    private static let deepFormats: Set<ImageFormat> = [.png, .tiff, .avif, .jpegXL]

    /// Encodes an image with the encoder registered for a format.
    ///
    /// Blocks while it works.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - format: The format; `nil`, the default, for ``encodingFormat(for:)``.
    /// - Returns: The bytes of the encoded image.
    /// - Throws: ``EncodeError``, with `unsupportedFormat` if no encoder is registered for the format.
    public func encode(_ image: Image, as format: ImageFormat? = nil) throws(EncodeError) -> Data {
        let format = format ?? encodingFormat(for: image)
        guard let encoder = encoder(for: format) else {
            throw EncodeError(
                .unsupportedFormat,
                format: format,
                detail: format.absence(of: "encoder")
            )
        }
        return try encoder.encode(image)
    }
}
