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
    ///   - format: What was asked for; else the image's own, and where there is no encoder for that, PNG
    ///     where there is alpha and JPEG where there is none.
    ///   - codecs: Where the encoder comes from.
    /// - Returns: The bytes, and their format.
    /// - Throws: ``CalotypeCodecs/EncodeError``.
    func encode(
        _ image: Image,
        as format: ImageFormat?,
        codecs: CodecRegistry
    ) async throws(EncodeError) -> (data: Data, format: ImageFormat) {
        let encoder = try encoder(for: format ?? Self.usualFormat(of: image, codecs), codecs)
        let data = try await Self.pool.run { () throws(EncodeError) in try encoder.encode(image) }
        return (data, encoder.format)
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

    private static func usualFormat(of image: Image, _ codecs: CodecRegistry) -> ImageFormat {
        if let own = image.format, codecs.encoder(for: own) != nil { return own }
        return image.pixelFormat == .rgba8 ? .png : .jpeg
    }

    private func encoder(
        for format: ImageFormat,
        _ codecs: CodecRegistry
    ) throws(EncodeError) -> any ImageEncoder {
        let options = EncodeOptions(byteCountMax: byteCountMax)
        switch format {
        case .jpeg:
            guard !isLossless else {
                throw EncodeError(
                    .unsupportedFeature,
                    format: .jpeg,
                    detail: "JPEG is never lossless; choose png"
                )
            }
            return JPEGEncoder(quality: quality ?? 90, options: options)
        case .png:
            return PNGEncoder(options: options)
        default:
            guard let encoder = codecs.encoder(for: format) else {
                throw EncodeError(
                    .unsupportedFormat,
                    format: format,
                    detail: "there is no encoder for \(format)"
                )
            }
            return encoder
        }
    }
}
