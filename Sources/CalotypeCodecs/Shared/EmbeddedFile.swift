import CalotypeCore
import FoundationEssentials

/// A complete file of one format embedded in another: a PNG in an icon, a JPEG in a bitmap.
///
/// Its results have the outer format, and are stills.
struct EmbeddedFile {
    let bytes: Data
    let decoder: any ImageDecoder
    let outerFormat: ImageFormat

    /// Copies the bytes to offset 0, which readers that count from 0 require.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    init(bytes: Data, decoder: any ImageDecoder, outerFormat: ImageFormat) throws(DecodeError) {
        self.bytes = try EncodedBytes(bytes).data
        self.decoder = decoder
        self.outerFormat = outerFormat
    }

    func info(limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        do throws(DecodeError) {
            var info = try decoder.info(of: bytes, limits: limits)
            info.format = outerFormat
            (info.frameCount, info.loopCount, info.animationDuration) = (1, nil, nil)
            return info
        } catch {
            throw outer(error)
        }
    }

    func decode(options: DecodeOptions) throws(DecodeError) -> Image {
        var options = options
        options.frames = .first
        do throws(DecodeError) {
            let image = try decoder.decode(bytes, options: options)
            return Image(
                size: image.size,
                pixelFormat: image.pixelFormat,
                pixels: image.pixels,
                scale: image.scale,
                format: outerFormat,
                metadata: image.metadata
            )
        } catch {
            throw outer(error)
        }
    }

    /// Converts an error; an empty inner file means a truncated outer one.
    private func outer(_ error: DecodeError) -> DecodeError {
        let code = error.code == .empty ? DecodeError.Code.truncated : error.code
        let inner = error.format.map { "the \($0) inside: " } ?? ""
        return DecodeError(code, format: outerFormat, detail: inner + error.detail)
    }
}
