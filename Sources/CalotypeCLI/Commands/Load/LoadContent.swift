import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import Foundation

/// The result of a load.
enum LoadContent: Sendable {
    /// Pixels, where no bytes are wanted.
    case image(LoadedImage)
    /// Bytes, as they are written to a file.
    case encoded(EncodedImage)
}

/// Gets what is asked for, in the form in which it is written.
struct ContentLoader: Sendable {
    private static let pool = BlockingPool(width: BlockingPool.coreCount)

    let pipeline: ImagePipeline
    let command: LoadCommand
    let target: OutputTarget?

    /// Loads through the caches; what is in an encoding that was asked for is kept there in it.
    func content(of request: ImageRequest) async throws -> LoadContent {
        if request.encoding != nil { return .encoded(try await pipeline.data(for: request)) }
        guard let target else { return .image(try await pipeline.load(request)) }
        guard request.transforms.isEmpty else {
            return .encoded(try await transformed(request, as: target.format))
        }
        var encoded = try await pipeline.data(for: request)
        let image = try await decoded(encoded, request)
        let format = target.format ?? encoded.info.format
        if format != encoded.info.format || command.changesOriginals {
            let settings = command.encoding.settings
            let codecs = pipeline.cache.codecs
            // A format without an encoder is written as the registry's rule says.
            (encoded.data, encoded.info) = try await settings.encode(image, as: target.format, codecs: codecs)
        }
        return .encoded(encoded)
    }

    /// The transformed image in the format that was asked for, else in its own where that can hold it.
    private func transformed(
        _ request: ImageRequest,
        as format: ImageFormat?
    ) async throws -> EncodedImage {
        let loaded = try await pipeline.load(request)
        let settings = command.encoding.settings
        let codecs = pipeline.cache.codecs
        let (data, info) = try await settings.encode(loaded.image, as: format, codecs: codecs)
        return EncodedImage(data: data, info: info, source: loaded.source)
    }

    /// The image of an original, so that no damaged one is written to a file or left in a cache.
    private func decoded(_ encoded: EncodedImage, _ request: ImageRequest) async throws -> Image {
        let (codecs, options) = (pipeline.cache.codecs, request.decoding)
        do {
            return try await Self.pool.runDecode(of: encoded.data, options.limits) {
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
