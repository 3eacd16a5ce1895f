import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import Foundation

/// What was asked of an encoder, whatever the format turns out to be.
struct EncoderSettings: Hashable, Sendable {
    private static let pool = BlockingPool(width: BlockingPool.coreCount)

    /// 1...100, for formats that have one.
    var quality: Int?
    /// Whether no pixel may change.
    var isLossless = false
    /// The most bytes of the result.
    var byteCountMax: Int?

    /// Encodes an image on a thread that may block.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - format: What was asked for; else what the registry's rule says.
    ///   - codecs: Where the encoder comes from.
    /// - Returns: The bytes, their format, and how many frames they hold.
    /// - Throws: ``CalotypeCodecs/EncodeError``.
    func encode(
        _ image: Image,
        as format: ImageFormat?,
        codecs: CodecRegistry
    ) async throws(EncodeError) -> (data: Data, format: ImageFormat, frameCount: Int) {
        let settings = self
        return try await Self.pool.run { () throws(EncodeError) in
            let encoder = try settings.encoder(for: format ?? codecs.encodingFormat(for: image), codecs)
            let data = try encoder.encode(image)
            return (data, encoder.format, codecs.frameCount(of: data))
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

    private func encoder(
        for format: ImageFormat,
        _ codecs: CodecRegistry
    ) throws(EncodeError) -> any ImageEncoder {
        guard let encoder = codecs.encoder(for: format) else {
            throw EncodeError(
                .unsupportedFormat,
                format: format,
                detail: "there is no encoder for \(format)"
            )
        }
        return try encoder.adjusted(
            quality: quality,
            isLossless: isLossless,
            byteCountMax: byteCountMax
        )
    }
}

extension CodecRegistry {
    /// How many frames an image has that was just encoded; 1 where that cannot be read back.
    fileprivate func frameCount(of data: Data) -> Int {
        do {
            return try info(of: data).frameCount
        } catch {
            // There is an encoder without a decoder.
            return 1
        }
    }
}
