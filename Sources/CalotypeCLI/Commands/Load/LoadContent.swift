import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import Foundation

enum LoadContent: Sendable {
    /// Pixels, if no bytes are wanted.
    case image(LoadedImage)
    /// Bytes, as they are written to a file.
    case encoded(EncodedImage)
}

/// Loads images in the form in which they are written.
struct ContentLoader: Sendable {
    let pipeline: ImagePipeline
    let target: OutputTarget?
    let settings: EncoderSettings
    /// Whether the original's bytes cannot be the result, whatever its format.
    let changesOriginals: Bool

    /// Loads through the caches; a requested encoding is cached.
    func content(of request: ImageRequest) async throws -> LoadContent {
        if request.encoding != nil { return .encoded(try await pipeline.data(for: request)) }
        guard let target else { return .image(try await pipeline.load(request)) }
        guard request.transforms.isEmpty else {
            return .encoded(try await transformed(request, as: target.format))
        }
        var encoded = try await pipeline.data(for: request)
        let image = try await decoded(encoded, request)
        let format = target.format ?? encoded.info.format
        if format != encoded.info.format || changesOriginals {
            let codecs = pipeline.cache.codecs
            // Without an encoder for the format, the registry selects another one.
            (encoded.data, encoded.info) = try await settings.encode(image, as: target.format, codecs: codecs)
        }
        return .encoded(encoded)
    }

    /// Returns the transformed image in the requested format, else in its own if that can hold it.
    private func transformed(
        _ request: ImageRequest,
        as format: ImageFormat?
    ) async throws -> EncodedImage {
        let loaded = try await pipeline.load(request)
        let codecs = pipeline.cache.codecs
        let (data, info) = try await settings.encode(loaded.image, as: format, codecs: codecs)
        return EncodedImage(data: data, info: info, source: loaded.source)
    }

    /// Decodes an original, so that a damaged one is neither written to a file nor left in a cache.
    private func decoded(_ encoded: EncodedImage, _ request: ImageRequest) async throws -> Image {
        let (codecs, options) = (pipeline.cache.codecs, request.decoding)
        do {
            return try await BlockingPool.command.runDecode(of: encoded.data, options.limits) {
                try codecs.decode(encoded.data, options: options)
            }
        } catch let error as DecodeError {
            if encoded.source != .file, encoded.source != .data {
                try await pipeline.remove(request)
            }
            throw error
        }
    }
}
