public import CalotypeCore
public import FoundationEssentials

extension CodecRegistry {
    /// The format that an image is encoded in when none is named.
    ///
    /// Its own where there is an encoder for that and it can hold the pixels: a photograph whose corners have
    /// been rounded off is no JPEG any more. Else WebP where it is animated, PNG where any pixel is
    /// translucent or it was drawn from SVG, and JPEG where none is. What has more than 8 bits, or other
    /// colours than sRGB, becomes PNG where its own format does not hold it.
    public func encodingFormat(for image: Image) -> ImageFormat {
        if image.pixelFormat.isDeep || image.colorSpace != .sRGB {
            guard let own = image.format, Self.deepFormats.contains(own), encoder(for: own) != nil else {
                return .png
            }
            return own
        }
        if let own = image.format, encoder(for: own) != nil, own != .jpeg || image.isOpaque { return own }
        if image.animation != nil, encoder(for: .webP) != nil { return .webP }
        return image.isOpaque && image.format != .svg ? .jpeg : .png
    }

    /// Those whose encoders write more than 8 bits and other colours than sRGB.
    private static let deepFormats: Set<ImageFormat> = [.png, .tiff, .avif, .jpegXL]

    /// Encodes an image with the encoder that is registered for a format.
    ///
    /// Blocks while it works.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - format: The format; `nil`, the default, for ``encodingFormat(for:)``.
    /// - Returns: The bytes of the encoded image.
    /// - Throws: ``EncodeError``, with `unsupportedFormat` where no encoder is registered for the format.
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
