import Calotype
import CalotypeCore
import Foundation

/// Writes loaded images to files, encoded as was asked.
struct LoadWriter: Sendable {
    let target: LoadTarget
    let command: LoadCommand
    let session: LoadSession

    /// Makes the folder that the files go into.
    func prepare() async throws {
        guard case .folder(let path, _) = target else { return }
        try await OutputFile.makeFolder(path)
    }

    /// Writes the image with this number in the list.
    func write(_ image: Image, of request: ImageRequest, at index: Int) async throws {
        let asked = command.format?.format ?? target.format
        let original = image.format ?? .png
        let isOriginalWanted = (asked ?? original) == original && command.encoding.quality == nil
        if isOriginalWanted, command.format == nil, command.size.box == nil {
            let data = try await session.originalBytes(of: request)
            return try await OutputFile.write(data, to: target.path(at: index, format: original))
        }
        session.forgetBody(of: request)
        let settings = EncoderSettings(quality: command.encoding.quality)
        let encoded = try await settings.encode(image, as: asked, codecs: session.pipeline.cache.codecs)
        try await OutputFile.write(encoded.data, to: target.path(at: index, format: encoded.format))
    }
}
