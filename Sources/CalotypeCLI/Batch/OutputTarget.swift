import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import Foundation

/// The output of a batch: a file or a folder.
enum OutputTarget: Hashable, Sendable {
    /// One image, to this path.
    case file(String)
    /// Each image into the folder.
    case folder(String, OutputNames, ResultFormat)

    /// Decides by what is there: an existing folder, a path that ends with a slash, and anything that is to
    /// take several images, is a folder; blocks.
    ///
    /// - Parameters:
    ///   - path: The output as it was typed.
    ///   - sources: The images.
    ///   - template: The template of names, where one was given.
    ///   - isRecursive: Whether folders were walked through.
    ///   - format: The format of the results, where it is known.
    /// - Throws: `ValidationError` where several images would go into one file: one that is there, one that
    ///   is named like an image, or standard output.
    init(
        _ path: String,
        sources: [BatchSource],
        template: NameTemplate? = nil,
        isRecursive: Bool = false,
        format: ResultFormat = ResultFormat(requested: nil, own: .open)
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
            let names = OutputNames(for: sources, template: template ?? .plain, in: path, format: format)
            self = .folder(path, names, format)
        } else {
            guard template == nil else {
                throw ValidationError("--name needs a folder as output; “\(path)” is one file.")
            }
            self = .file(path)
        }
    }

    /// A note about a new file without an extension, which may have been meant as a folder; `nil` for all
    /// else; blocks.
    func note(for format: ImageFormat?) -> String? {
        guard case .file(let path) = self, format != nil, OutputFile.descriptor(of: path) == nil,
            FileStatus(at: path) == nil, !FilePlace.split(path).name.contains(".")
        else { return nil }
        return "\(path) is a file; a folder ends with “/”"
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
    func prepare(by writer: OutputWriter) async throws {
        guard case .folder(let path, _, _) = self else { return }
        try await writer.makeFolder(path)
    }

    /// Writes the bytes with this number in the list.
    ///
    /// - Returns: The path, and whether the file was written or left.
    func write(
        _ data: Data,
        _ info: ImageInfo,
        at index: Int,
        by writer: OutputWriter,
        dates: FileDates? = nil
    ) async throws -> (path: String, outcome: OutputWriter.Outcome) {
        let path = path(at: index, info)
        // Also that of the output: another run may have removed it, empty as it was.
        if case .folder = self { try await writer.makeFolder(FilePlace.split(path).folder) }
        return (path, try await writer.write(data, to: path, of: identity(at: index), dates: dates))
    }

    /// The path for the image with this number in the list.
    func path(at index: Int, _ info: ImageInfo) -> String {
        path(at: index, info, info.format)
    }

    /// The path for an image that is not encoded yet, or `nil` if its name or its format is unknown; blocks.
    ///
    /// - Parameters:
    ///   - index: The number of the image.
    ///   - source: The image.
    ///   - mayGuess: Whether the extension of the source counts where nothing else tells the format.
    /// - Returns: The path, or `nil`.
    func expectedPath(at index: Int, of source: BatchSource, mayGuess: Bool) -> String? {
        switch self {
        case .file(let path):
            return path
        case .folder(_, let names, let format):
            guard names.areKnown else { return nil }
            let known = format.format(of: source) ?? (mayGuess ? format.guess(of: source) : nil)
            return known.map { path(at: index, nil, $0) }
        }
    }

    /// The identity of a source, for an output that is written twice.
    func identity(at index: Int) -> String {
        guard case .folder(_, let names, _) = self else { return "" }
        return names.identity(at: index)
    }

    /// The first image of the list that is the same file and has the same output.
    func original(of index: Int) -> Int {
        guard case .folder(_, let names, _) = self else { return index }
        return names.originals[index]
    }

    private func path(at index: Int, _ info: ImageInfo?, _ format: ImageFormat) -> String {
        switch self {
        case .file(let path):
            path
        case .folder(let path, let names, _):
            OutputNames.joined(path, names.path(at: index, info)) + "." + format.fileExtension
        }
    }
}
