import ArgumentParser
import Calotype
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import Foundation

/// An image of a batch: its address, and the folder below the output that its file goes into.
struct BatchSource: Hashable, Sendable {
    private static let pool = BlockingPool(width: 1)

    /// A URL or a path.
    let address: String

    /// The folder, relative to the output's; empty for that itself.
    let folder: String

    init(_ address: String, in folder: String = "") {
        (self.address, self.folder) = (address, folder)
    }

    /// The path of a file of this machine; `nil` for other URLs.
    var path: String? {
        guard BatchSource.isURL(address) else { return address }
        do {
            // As the loader reads it, also where the name is not UTF-8.
            return PathBytes.text(of: try FilePath(try ImageRequest(typed: address).url).bytes)
        } catch {
            return nil
        }
    }

    /// Whether text begins with a scheme of at least two characters and a colon.
    ///
    /// The same rule as that of ``Calotype/ImageRequest``.
    static func isURL(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }
        guard scheme.utf8.count >= 2, scheme.endIndex != text.endIndex, let first = scheme.first else {
            return false
        }
        return first.isASCII && first.isLetter
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// The sources of a batch: each address, and of each folder the images in it and in those below.
    ///
    /// - Parameters:
    ///   - addresses: What was typed or listed.
    ///   - isRecursive: Whether folders are walked through; else they stay as they are, and cannot be read.
    ///   - destination: The output, whose own folder is not walked through.
    /// - Returns: The sources, folders replaced by their images.
    /// - Throws: ``CommandError`` where a folder has no images, or cannot be read.
    static func all(
        _ addresses: [String],
        isRecursive: Bool,
        besides destination: String?
    ) async throws(CommandError) -> [BatchSource] {
        guard isRecursive else { return addresses.map { BatchSource($0) } }
        return try await pool.run { () throws(CommandError) in
            let output = destination.flatMap { FileStatus(at: $0) }
            var sources: [BatchSource] = []
            for address in addresses {
                guard let path = BatchSource(address).path, FileStatus(at: path)?.kind == .folder else {
                    sources.append(BatchSource(address))
                    continue
                }
                sources += try FolderWalk(path, besides: output?.identity).images()
            }
            return sources
        }
    }
}

/// Finds the images of a folder and of those below it, by the extensions of their names; blocks.
struct FolderWalk {
    private static let countMax = 1_000_000
    private static let depthMax = 100

    private let root: String
    private let excluded: FileIdentity?

    /// A walk through a folder that leaves one out: that of the results.
    init(_ root: String, besides excluded: FileIdentity?) {
        (self.root, self.excluded) = (root, excluded)
    }

    /// The images in the order of their paths; hidden files and folders are left out, and links to folders.
    ///
    /// - Throws: ``CommandError`` where there are none, or a folder cannot be read.
    func images() throws(CommandError) -> [BatchSource] {
        var sources: [BatchSource] = []
        try add(to: &sources, below: "", depth: 0)
        guard !sources.isEmpty else {
            throw CommandError(.nothingFound, detail: "there are no image files in \(root)")
        }
        return sources
    }

    private func add(to sources: inout [BatchSource], below folder: String, depth: Int) throws(CommandError) {
        guard depth <= Self.depthMax else {
            throw CommandError(
                .nothingFound,
                detail: "\(root) has more than \(Self.depthMax) levels of folders"
            )
        }
        for name in try names(in: folder) {
            let relative = folder.isEmpty ? name : folder + "/" + name
            let path = Self.joined(root, relative)
            switch FileStatus(at: path, followsLinks: false)?.kind {
            case .folder:
                guard FileStatus(at: path)?.identity != excluded else { continue }
                try add(to: &sources, below: relative, depth: depth + 1)
            case .regular, .symbolicLink:
                guard Self.isImage(name), FileStatus(at: path)?.kind == .regular else { continue }
                guard sources.count < Self.countMax else {
                    throw CommandError(.nothingFound, detail: "\(root) has more than \(Self.countMax) images")
                }
                sources.append(BatchSource(path, in: folder))
            default:
                continue
            }
        }
    }

    /// The visible names in a folder, in the order of their bytes.
    private func names(in folder: String) throws(CommandError) -> [String] {
        let path = folder.isEmpty ? root : Self.joined(root, folder)
        guard let stream = path.withPathBytes({ opendir($0) }) else {
            throw CommandError(
                .nothingFound,
                detail: "cannot read the folder \(path): \(SystemError.text(errno))"
            )
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name.first != UInt8(ascii: ".") { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { PathBytes.text(of: $0) }
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    private static func isImage(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return ImageFormat(fileExtension: String(name[dot...])) != nil
    }
}
