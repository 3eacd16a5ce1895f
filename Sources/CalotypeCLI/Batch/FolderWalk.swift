import ArgumentParser
import CalotypeCore
import CalotypeSupport

/// A search for images in folders and their subfolders, by file name extension; blocks.
struct FolderWalk {
    private static let maxCount = 1_000_000
    private static let maxDepth = 100

    private let excluded: Set<FileIdentity>
    private var walked: Set<FileIdentity> = []

    /// Creates a walk that skips the folders of the results.
    init(besides excluded: Set<FileIdentity> = []) {
        self.excluded = excluded
    }

    /// Returns the images in path order; skips hidden files and folders, and links to folders.
    ///
    /// - Throws: ``CommandError`` if there are no images, or a folder cannot be read.
    mutating func images(in root: String) throws(CommandError) -> [BatchSource] {
        var sources: [BatchSource] = []
        try add(to: &sources, root, below: "", depth: 0)
        guard !sources.isEmpty else {
            throw CommandError(.nothingFound, detail: "\(root) contains no image files")
        }
        return sources
    }

    /// Rejects an output in a walked folder, whose results would be inputs of the next run.
    ///
    /// - Throws: `ValidationError`.
    func refuseResults(in output: String, of sources: [BatchSource]) throws {
        for folder in Set(sources.map(\.folder)) {
            let path = folder.isEmpty ? output : Self.joined(output, folder)
            guard let identity = FileStatus(at: path)?.identity, walked.contains(identity) else { continue }
            throw ValidationError(
                "The results would be written into “\(path)”, which --recursive reads, and would be "
                    + "inputs of the next run; name a folder outside of it, or a new one in it."
            )
        }
    }

    private mutating func add(
        to sources: inout [BatchSource],
        _ root: String,
        below folder: String,
        depth: Int
    ) throws(CommandError) {
        guard depth <= Self.maxDepth else {
            throw CommandError(
                .nothingFound,
                detail: "\(root) has more than \(Self.maxDepth) levels of subfolders"
            )
        }
        if let identity = FileStatus(at: folder.isEmpty ? root : Self.joined(root, folder))?.identity {
            walked.insert(identity)
        }
        for name in try Self.names(in: folder.isEmpty ? root : Self.joined(root, folder)) {
            let relative = folder.isEmpty ? name : folder + "/" + name
            let path = Self.joined(root, relative)
            switch FileStatus(at: path, followsLinks: false)?.kind {
            case .folder:
                guard let identity = FileStatus(at: path)?.identity, !excluded.contains(identity) else {
                    continue
                }
                try add(to: &sources, root, below: relative, depth: depth + 1)
            case .regular, .symbolicLink:
                guard Self.isImage(name), FileStatus(at: path)?.kind == .regular else { continue }
                guard sources.count < Self.maxCount else {
                    throw CommandError(.nothingFound, detail: "\(root) has more than \(Self.maxCount) images")
                }
                sources.append(BatchSource(path: path, in: folder))
            default:
                continue
            }
        }
    }

    /// Returns the names of images directly in a folder, in byte order, among the first names that the system
    /// lists; skips hidden files and names that are not UTF-8.
    ///
    /// - Throws: ``CommandError`` if the folder cannot be read.
    static func imageNames(
        in folder: String,
        readingAtMost maxCount: Int
    ) throws(CommandError) -> [String] {
        try names(in: folder, readingAtMost: maxCount).filter { name in
            isImage(name) && !PathBytes.holdsOtherBytes(name)
                && FileStatus(at: joined(folder, name), followsLinks: false)?.kind == .regular
        }
    }

    /// Returns the visible names in a folder, in byte order.
    private static func names(
        in path: String,
        readingAtMost maxCount: Int = .max
    ) throws(CommandError) -> [String] {
        guard let stream = path.withPathBytes({ opendir($0) }) else {
            throw CommandError(
                .nothingFound,
                detail: "cannot read the folder \(path): \(SystemError.text(errno))"
            )
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while names.count < maxCount, let entry = readdir(stream) {
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
