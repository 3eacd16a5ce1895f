import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import Foundation

/// Requested settings of an encoder, independent of the format.
struct EncoderSettings: Hashable, Sendable {
    var adjustment = EncodeAdjustment()

    /// Whether any setting was requested.
    var changesEncoder: Bool { adjustment != EncodeAdjustment() }

    /// Encodes an image on a thread that may block.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - format: The requested format; `nil` for the registry's choice.
    ///   - codecs: The registry with the encoder.
    /// - Returns: The bytes with their header.
    /// - Throws: ``CalotypeCodecs/EncodeError``.
    func encode(
        _ image: Image,
        as format: ImageFormat?,
        codecs: CodecRegistry
    ) async throws(EncodeError) -> (data: Data, info: ImageInfo) {
        let settings = self
        return try await BlockingPool.command.run { () throws(EncodeError) in
            let encoder = try settings.encoder(for: format ?? codecs.encodingFormat(for: image), codecs)
            let data = try encoder.encode(image)
            return (data, codecs.info(of: data, from: image, as: encoder.format))
        }
    }

    /// Draws an image and encodes it, both on a thread that may block.
    ///
    /// - Throws: ``CalotypeCodecs/EncodeError``.
    func encode(drawing draw: @escaping @Sendable () -> Image, as format: ImageFormat)
        async throws(EncodeError) -> Data
    {
        let encoder = try encoder(for: format, .standard)
        return try await BlockingPool.command.run { () throws(EncodeError) in try encoder.encode(draw()) }
    }

    /// Returns the encoder for a format with these settings.
    ///
    /// - Throws: ``CalotypeCodecs/EncodeError`` if there is no encoder, or it does not support a setting.
    func encoder(
        for format: ImageFormat,
        _ codecs: CodecRegistry
    ) throws(EncodeError) -> any ImageEncoder {
        guard let encoder = codecs.encoder(for: format) else {
            throw EncodeError(
                .unsupportedFormat,
                format: format,
                detail: format.absence(of: "encoder")
            )
        }
        return try encoder.adjusted(by: adjustment)
    }
}

extension CodecRegistry {
    /// Returns the header of an image that was just encoded; as a still if it cannot be read back.
    fileprivate func info(of data: Data, from image: Image, as format: ImageFormat) -> ImageInfo {
        do {
            return try info(of: data)
        } catch {
            // The format has an encoder, but no decoder.
            return ImageInfo(format: format, size: image.size, pixelFormat: image.pixelFormat)
        }
    }
}
