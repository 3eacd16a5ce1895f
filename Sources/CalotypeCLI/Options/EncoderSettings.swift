import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import Foundation

/// What was asked of an encoder, whatever the format turns out to be.
struct EncoderSettings: Hashable, Sendable {
    private static let pool = BlockingPool(width: BlockingPool.coreCount)

    var adjustment = EncodeAdjustment()

    /// Whether anything was asked for.
    var changesEncoder: Bool { adjustment != EncodeAdjustment() }

    /// Encodes an image on a thread that may block.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - format: What was asked for; else what the registry's rule says.
    ///   - codecs: Where the encoder comes from.
    /// - Returns: The bytes, and what their header tells.
    /// - Throws: ``CalotypeCodecs/EncodeError``.
    func encode(
        _ image: Image,
        as format: ImageFormat?,
        codecs: CodecRegistry
    ) async throws(EncodeError) -> (data: Data, info: ImageInfo) {
        let settings = self
        return try await Self.pool.run { () throws(EncodeError) in
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
        return try await Self.pool.run { () throws(EncodeError) in try encoder.encode(draw()) }
    }

    /// The encoder for a format with these settings.
    ///
    /// - Throws: ``CalotypeCodecs/EncodeError`` where there is none, or it cannot do what was asked.
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
    /// What the header of an image tells that was just encoded; a still where that cannot be read back.
    fileprivate func info(of data: Data, from image: Image, as format: ImageFormat) -> ImageInfo {
        do {
            return try info(of: data)
        } catch {
            // There is an encoder without a decoder.
            return ImageInfo(format: format, size: image.size, pixelFormat: image.pixelFormat)
        }
    }
}
