import ArgumentParser
import Calotype
import CalotypeCodecs
import CalotypeCore
import Foundation

/// Where the files of a load go.
enum LoadTarget: Hashable, Sendable {
    /// One image, to this path.
    case file(String)
    /// Each image into the folder, under its name without extension.
    case folder(String, stems: [String])

    /// Decides by what is there: an existing folder, a path that ends with a slash, and anything that is to
    /// take several images, is a folder.
    ///
    /// - Throws: `ValidationError` where several images would go into one file: one that is there, one that
    ///   is named like an image, or standard output.
    init(_ path: String, addresses: [String]) throws {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let namesFile = path == OutputFile.standardOutput || FormatName(extensionOf: path) != nil
        if exists || namesFile, !isFolder.boolValue, !path.hasSuffix("/"), addresses.count > 1 {
            throw ValidationError(
                "\(path) is one file, and there are \(addresses.count) images; a folder ends with “/”."
            )
        }
        if isFolder.boolValue || path.hasSuffix("/") || addresses.count > 1 {
            self = .folder(path, stems: OutputNames.stems(for: addresses))
        } else {
            self = .file(path)
        }
    }

    /// The format that the target itself asks for.
    var format: ImageFormat? {
        guard case .file(let path) = self else { return nil }
        return FormatName(extensionOf: path)?.format
    }

    /// Makes the folder that the files go into.
    func prepare() async throws {
        guard case .folder(let path, _) = self else { return }
        try await OutputFile.makeFolder(path)
    }

    /// Writes the bytes with this number in the list.
    func write(_ content: LoadContent, at index: Int) async throws {
        guard case .encoded(let encoded) = content else { return }
        try await OutputFile.write(encoded.data, to: path(at: index, format: encoded.info.format))
    }

    /// The path for the image with this number in the list.
    func path(at index: Int, format: ImageFormat) -> String {
        switch self {
        case .file(let path):
            path
        case .folder(let path, let stems):
            (path.hasSuffix("/") ? path : path + "/") + stems[index] + "."
                + format.fileExtension
        }
    }
}
