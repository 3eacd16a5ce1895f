import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import Foundation

/// The output of a batch: a file or a folder.
enum OutputTarget: Hashable, Sendable {
    /// One image, to this path.
    case file(String)
    /// Each image into the folder.
    case folder(String, OutputNames)

    /// Decides by what is there: an existing folder, a path that ends with a slash, and anything that is to
    /// take several images, is a folder; blocks.
    ///
    /// - Throws: `ValidationError` where several images would go into one file: one that is there, one that
    ///   is named like an image, or standard output.
    init(
        _ path: String,
        sources: [BatchSource],
        template: NameTemplate? = nil,
        isRecursive: Bool = false
    ) throws {
        let status = FileStatus(at: path)
        let isStream = OutputFile.descriptor(of: path) != nil
        let namesFile = isStream || FormatName(extensionOf: path) != nil
        let isFolder = status?.kind == .folder || path.hasSuffix("/")
        if status != nil || namesFile, !isFolder, sources.count > 1 || isRecursive && status != nil {
            throw ValidationError(
                "\(path) is one file, and there are \(sources.count) images; a folder ends with “/”."
            )
        }
        if isFolder || sources.count > 1 || isRecursive && !namesFile {
            self = .folder(path, OutputNames(for: sources, template: template ?? .plain))
        } else {
            guard template == nil else {
                throw ValidationError("--name needs a folder as output; “\(path)” is one file.")
            }
            self = .file(path)
        }
    }

    /// The format that the target itself asks for.
    var format: ImageFormat? {
        guard case .file(let path) = self else { return nil }
        return FormatName(extensionOf: path)?.format
    }

    /// The remedy after an interrupt; empty for one file.
    var interruptHint: String {
        guard case .folder = self else { return "" }
        return "; --skip-existing continues"
    }

    /// Refuses a format that is not that of the file's name.
    ///
    /// - Throws: `ValidationError`.
    static func checkExtension(of path: String, against format: ImageFormat?) throws {
        guard let format, OutputFile.descriptor(of: path) == nil, !path.hasSuffix("/") else { return }
        let name = FilePlace.split(path).name
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            let named = ImageFormat(fileExtension: String(name[dot...])), named != format
        else { return }
        throw ValidationError(
            "--format \(format.rawValue) contradicts the extension of the output “\(path)”; omit one of them."
        )
    }

    /// Makes the folder that the files go into.
    func prepare() async throws {
        guard case .folder(let path, _) = self else { return }
        try await OutputWriter.makeFolder(path)
    }

    /// Writes the bytes with this number in the list.
    ///
    /// - Returns: The path, and whether the file was written or left.
    func write(
        _ data: Data,
        _ info: ImageInfo,
        at index: Int,
        of source: BatchSource,
        by writer: OutputWriter,
        dates: FileDates? = nil
    ) async throws -> (path: String, outcome: OutputWriter.Outcome) {
        let path = path(at: index, info)
        if !source.folder.isEmpty { try await OutputWriter.makeFolder(FilePlace.split(path).folder) }
        return (path, try await writer.write(data, to: path, of: source.address, dates: dates))
    }

    /// The path for the image with this number in the list.
    func path(at index: Int, _ info: ImageInfo) -> String {
        path(at: index, info, info.format)
    }

    /// The path for an image that is not encoded yet; `nil` where its name or its format is not known.
    ///
    /// - Parameters:
    ///   - index: Its number in the list.
    ///   - format: What was asked for.
    ///   - source: The image, whose name may tell the format.
    /// - Returns: The path, or `nil`.
    func expectedPath(at index: Int, as format: ImageFormat?, of source: BatchSource) -> String? {
        switch self {
        case .file(let path):
            return path
        case .folder(_, let names):
            guard names.areKnown else { return nil }
            let isURL = BatchSource.isURL(source.address)
            let text = isURL ? source.address.prefix { $0 != "?" && $0 != "#" } : source.address[...]
            let name = FormatName(extensionOf: String(text))
            return (format ?? name?.format).map { path(at: index, nil, $0) }
        }
    }

    private func path(at index: Int, _ info: ImageInfo?, _ format: ImageFormat) -> String {
        switch self {
        case .file(let path):
            path
        case .folder(let path, let names):
            (path.hasSuffix("/") ? path : path + "/") + names.path(at: index, info) + "."
                + format.fileExtension
        }
    }
}
