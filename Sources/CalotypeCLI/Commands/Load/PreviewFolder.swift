import Calotype
import CalotypeCore
import Foundation

/// Writes the previews of loads as files into a folder: `NAME-001.png`, `NAME-002.png`, ….
struct PreviewFolder: Sendable {
    private let path: String
    private let sources: [BatchSource]
    private let names: OutputNames
    private let writer: OutputWriter

    init(_ path: String, sources: [BatchSource], writer: OutputWriter) {
        self.path = path
        self.sources = sources
        self.writer = writer
        names = OutputNames(for: sources)
    }

    func prepare() async throws {
        try await writer.makeFolder(path)
    }

    /// Writes the previews of an image while it loads; none if it is in a cache.
    ///
    /// Shares the download with concurrent loads of the same image.
    ///
    /// - Throws: The error of the load; ``CommandError`` if a file cannot be written.
    func write(previewsOf request: ImageRequest, at index: Int, from pipeline: ImagePipeline) async throws {
        var count = 0
        for try await event in pipeline.events(for: request) {
            guard case .preview(let image) = event else { continue }
            count += 1
            let encoded = try await EncoderSettings().encode(image, as: .png, codecs: .standard)
            let number = String(format: "%03d", count)
            let file = "\(path)/\(names.path(at: index))-\(number).png"
            let folder = sources[index].folder
            try await writer.makeFolder(folder.isEmpty ? path : "\(path)/\(folder)")
            try await writer.write(
                encoded.data,
                to: file,
                of: "preview \(count) of \(names.identity(at: index))"
            )
        }
    }
}
