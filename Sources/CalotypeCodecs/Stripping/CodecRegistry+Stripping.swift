public import CalotypeCore
public import FoundationEssentials

extension CodecRegistry {
    /// The formats whose metadata can be removed without re-encoding.
    package static let strippableFormats: Set<ImageFormat> = [.jpeg, .png, .webP, .gif]

    /// Removes EXIF, GPS, XMP, IPTC, comments, thumbnails and unknown blocks without re-encoding the image.
    ///
    /// The coded pixels and all data that affects their appearance are copied byte for byte: colour profiles,
    /// gamma, transparency, animation. Bytes after the end of the image are removed too, where phones store
    /// videos and further images with metadata of their own. Supports JPEG, PNG, WebP and GIF, at the cost of
    /// copying the bytes.
    ///
    /// - Parameters:
    ///   - data: The encoded image.
    ///   - kept: The metadata to keep; by default the orientation alone.
    /// - Returns: The encoded image without the other metadata.
    /// - Throws: `DecodeError` with `unsupportedFeature` for another format, and `truncated` or `corrupt` if
    ///   the structure of the file is damaged.
    public func strippingMetadata(
        from data: Data,
        keeping kept: RetainedMetadata = RetainedMetadata()
    ) throws(DecodeError) -> Data {
        guard let format = ImageFormat(sniffing: data) else {
            throw DecodeError(
                .unrecognizedFormat,
                detail: "the first bytes match no known image format"
            )
        }
        let exif = Self.retainedExif(of: data, format: format, kept)
        switch format {
        case .jpeg: return try JPEGStripping.strip(data, exif: exif)
        case .png: return try PNGStripping.strip(data, exif: exif)
        case .webP: return try WebPStripping.strip(data, exif: exif)
        case .gif: return try GIFStripping.strip(data)
        default:
            throw DecodeError(
                .unsupportedFeature,
                format: format,
                detail: "metadata can be removed without re-encoding for JPEG, PNG, WebP and GIF only"
            )
        }
    }

    private static func retainedExif(of data: Data, format: ImageFormat, _ kept: RetainedMetadata) -> Data? {
        // Search the whole file, like decoders.
        guard let block = ExifBlock.block(of: data, format: format, maxPartCount: .max) else { return nil }
        let fields = ExifFields(block)
        return ExifWriter.block(
            orientation: kept.orientation ? fields.orientation : nil,
            copyright: kept.copyright ? fields.copyright : nil
        )
    }
}

extension DecodeError {
    /// Returns the error for a file that ends within a segment, chunk or block.
    static func cutOff(_ format: ImageFormat) -> DecodeError {
        DecodeError(.truncated, format: format, detail: "the file ends before the image is complete")
    }
}
