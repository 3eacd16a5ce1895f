import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import Foundation

/// The output of a batch: a file or a folder.
enum OutputTarget: Hashable, Sendable {
    /// One image, at this path.
    case file(String)
    case folder(String, OutputNames, ResultFormat)

    /// Decides by the file system: an existing folder, a path that ends with a slash, and the output of
    /// several images are folders; blocks.
    ///
    /// - Parameters:
    ///   - path: The output as typed.
    ///   - sources: The images.
    ///   - template: The name template, if given.
    ///   - isRecursive: Whether folders were walked.
    ///   - format: The format of the results, if known.
    /// - Throws: `ValidationError` if several images would be written to one file: an existing file, a path
    ///   named like an image, or standard output.
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
                "\(path) is one file for \(sources.count) images; end the path of a folder with “/”."
            )
        }
        if isFolder || sources.count > 1 || isRecursive && !namesFile {
            let names = OutputNames(for: sources, template: template ?? .plain, in: path, format: format)
            self = .folder(path, names, format)
        } else {
            guard template == nil else {
                throw ValidationError("--name needs a folder as output, and “\(path)” is a file; append “/”.")
            }
            self = .file(path)
        }
    }

    /// Returns a warning about a new file without an extension, which may have been meant as a folder; `nil`
    /// otherwise; blocks.
    func note(for format: ImageFormat?) -> String? {
        guard case .file(let path) = self, format != nil, OutputFile.descriptor(of: path) == nil,
            FileStatus(at: path) == nil, !FileLocation.split(path).name.contains(".")
        else { return nil }
        return "\(path) is a file; a folder ends with “/”"
    }

    var format: ImageFormat? {
        guard case .file(let path) = self else { return nil }
        return FormatName(extensionOf: path)?.format
    }

    /// The hint after an interrupt; empty for one file.
    var interruptHint: String {
        guard case .folder = self else { return "" }
        return "; --skip-existing continues"
    }

    /// Rejects a format that differs from the extension of the file.
    ///
    /// - Throws: `ValidationError`.
    static func checkExtension(of path: String, against format: ImageFormat?) throws {
        guard let format, OutputFile.descriptor(of: path) == nil, !path.hasSuffix("/") else { return }
        let name = FileLocation.split(path).name
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            let named = ImageFormat(fileExtension: String(name[dot...])), named != format
        else { return }
        throw ValidationError(
            "--format \(format.rawValue) contradicts the extension of the output “\(path)”; omit one of them."
        )
    }

    func prepare(by writer: OutputWriter) async throws {
        guard case .folder(let path, _, _) = self else { return }
        try await writer.makeFolder(path)
    }

    /// Writes the bytes of an image, given by its index in the list.
    ///
    /// - Returns: The path, and whether the file was written or skipped.
    func write(
        _ data: Data,
        _ info: ImageInfo,
        at index: Int,
        by writer: OutputWriter,
        dates: FileDates? = nil
    ) async throws -> (path: String, outcome: OutputWriter.Outcome) {
        let path = path(at: index, info)
        // Also creates the output folder: another run may have removed it while it was empty.
        if case .folder = self { try await writer.makeFolder(FileLocation.split(path).folder) }
        return (path, try await writer.write(data, to: path, of: identity(at: index), dates: dates))
    }

    /// Returns the path for the image at an index of the list.
    func path(at index: Int, _ info: ImageInfo) -> String {
        path(at: index, info, info.format)
    }

    /// Returns the path for an image before it is encoded, or `nil` if its name or format is unknown; blocks.
    ///
    /// - Parameters:
    ///   - index: The index of the image.
    ///   - source: The image.
    ///   - mayGuess: Whether the source's extension is used if nothing else determines the format.
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

    /// Returns the identity of a source, which tells repeated outputs of one image from clashes.
    func identity(at index: Int) -> String {
        guard case .folder(_, let names, _) = self else { return "" }
        return names.identity(at: index)
    }

    /// Returns the index of the first image that is the same file and has the same output.
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
