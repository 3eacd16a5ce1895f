import ArgumentParser
import Calotype
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import Foundation

/// An image of a batch: its address, and the subfolder of the output for its file.
struct BatchSource: Hashable, Sendable {
    /// A URL or a path, as it was typed.
    let address: String

    /// Whether the address is a URL; else it is the path of a file.
    let isURL: Bool

    /// The subfolder of the output folder; empty for the output folder itself.
    let folder: String

    /// Creates a source from an address as it was typed; may block (``InputAddress``).
    init(_ address: String, in folder: String = "") {
        (self.address, self.folder) = (address, folder)
        isURL = InputAddress.isURL(address)
    }

    init(path: String, in folder: String) {
        (address, isURL, self.folder) = (path, false, folder)
    }

    /// The path of a file of this machine; `nil` for other URLs.
    var path: String? {
        guard isURL else { return address }
        do {
            // As the loader reads it, also where the name is not UTF-8.
            return PathBytes.text(of: try FilePath(try ImageRequest(for: self).url).bytes)
        } catch {
            return nil
        }
    }

    /// The address for people and JSON, without user and password; blocks if it may contain them.
    var shownAddress: String {
        guard address.utf8.contains(UInt8(ascii: "@")) else { return address }
        // The name of a file may look like a user.
        if !isURL, FileStatus(at: address) != nil { return address }
        return Credentials.hidden(inAddress: address)
    }

    /// The one spelling of the address: the location of a file, without links, or the normalised URL without
    /// its fragment; blocks.
    var normalForm: String {
        if address == "-" { return address }
        if let path { return FileLocation.location(of: path) }
        do {
            let text = try ImageRequest(for: self).url.absoluteString
            return text.hasPrefix("http") ? String(text.prefix { $0 != "#" }) : text
        } catch {
            return address
        }
    }

    /// Returns the sources of a batch: each address, and the images in each folder and its subfolders.
    ///
    /// - Parameters:
    ///   - addresses: The typed or listed addresses.
    ///   - isRecursive: Whether folders are walked; else they remain in the list, and cannot be read.
    ///   - outputs: The outputs; folders among them are not walked.
    /// - Returns: The sources, folders replaced by their images.
    /// - Throws: ``CommandError`` if a folder has no images, or cannot be read; `ValidationError` if results
    ///   would be written into a walked folder.
    static func all(
        _ addresses: [String],
        isRecursive: Bool,
        besides outputs: [String?] = []
    ) async throws -> [BatchSource] {
        try await BlockingPool.command.run {
            guard isRecursive else { return addresses.map { BatchSource($0) } }
            let outputs = outputs.compactMap(\.self)
            var walk = FolderWalk(besides: Set(outputs.compactMap { FileStatus(at: $0)?.identity }))
            var sources: [BatchSource] = []
            for source in addresses.map({ BatchSource($0) }) {
                guard let path = source.path, FileStatus(at: path)?.kind == .folder else {
                    sources.append(source)
                    continue
                }
                sources += try walk.images(in: path)
            }
            for output in outputs { try walk.refuseResults(in: output, of: sources) }
            return sources
        }
    }
}
