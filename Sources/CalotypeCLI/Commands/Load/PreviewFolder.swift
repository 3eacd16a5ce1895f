import Calotype
import CalotypeCore
import Foundation

/// Writes the previews of loads as files into a folder: `NAME-001.png`, `NAME-002.png`, ….
struct PreviewFolder: Sendable {
    private let path: String
    private let stems: [String]

    init(_ path: String, addresses: [String]) {
        self.path = path
        stems = OutputNames.stems(for: addresses)
    }

    /// Makes the folder.
    func prepare() async throws {
        try await OutputFile.makeFolder(path)
    }

    /// Writes what can be seen of an image while it arrives; nothing where it is in a cache.
    ///
    /// Shares the download with whoever loads the same at the same time.
    ///
    /// - Parameters:
    ///   - request: What is loaded.
    ///   - index: Its number in the list.
    ///   - pipeline: What loads it.
    /// - Throws: What the load fails with; ``CommandError`` where a file cannot be written.
    func write(previewsOf request: ImageRequest, at index: Int, from pipeline: ImagePipeline) async throws {
        var count = 0
        for try await event in pipeline.events(for: request) {
            guard case .preview(let image) = event else { continue }
            count += 1
            let encoded = try await EncoderSettings().encode(image, as: .png, codecs: .standard)
            let number = String(format: "%03d", count)
            try await OutputFile.write(encoded.data, to: "\(path)/\(stems[index])-\(number).png")
        }
    }
}
