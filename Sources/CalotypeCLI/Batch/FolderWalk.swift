import ArgumentParser
import CalotypeCore
import CalotypeSupport

/// Finds the images of folders and of those below them, by the extensions of their names; blocks.
struct FolderWalk {
    private static let countMax = 1_000_000
    private static let depthMax = 100

    private let excluded: Set<FileIdentity>
    private var walked: Set<FileIdentity> = []

    /// A walk that leaves some folders out: those of the results.
    init(besides excluded: Set<FileIdentity> = []) {
        self.excluded = excluded
    }

    /// The images in the order of their paths; hidden files and folders are left out, and links to folders.
    ///
    /// - Throws: ``CommandError`` where there are none, or a folder cannot be read.
    mutating func images(in root: String) throws(CommandError) -> [BatchSource] {
        var sources: [BatchSource] = []
        try add(to: &sources, root, below: "", depth: 0)
        guard !sources.isEmpty else {
            throw CommandError(.nothingFound, detail: "there are no image files in \(root)")
        }
        return sources
    }

    /// Refuses results that would be in a folder that was walked through, and so be images of the next walk.
    ///
    /// - Throws: `ValidationError`.
    func refuseResults(in output: String, of sources: [BatchSource]) throws {
        for folder in Set(sources.map(\.folder)) {
            let path = folder.isEmpty ? output : Self.joined(output, folder)
            guard let identity = FileStatus(at: path)?.identity, walked.contains(identity) else { continue }
            throw ValidationError(
                "The results would go into “\(path)”, whose images --recursive takes, and be inputs of the "
                    + "next run; name a folder outside of it, or a new one within it, which is left out."
            )
        }
    }

    private mutating func add(
        to sources: inout [BatchSource],
        _ root: String,
        below folder: String,
        depth: Int
    ) throws(CommandError) {
        guard depth <= Self.depthMax else {
            throw CommandError(
                .nothingFound,
                detail: "\(root) has more than \(Self.depthMax) levels of folders"
            )
        }
        if let identity = FileStatus(at: folder.isEmpty ? root : Self.joined(root, folder))?.identity {
            walked.insert(identity)
        }
        for name in try names(in: folder.isEmpty ? root : Self.joined(root, folder)) {
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
                guard sources.count < Self.countMax else {
                    throw CommandError(.nothingFound, detail: "\(root) has more than \(Self.countMax) images")
                }
                sources.append(BatchSource(path: path, in: folder))
            default:
                continue
            }
        }
    }

    /// The visible names in a folder, in the order of their bytes.
    private func names(in path: String) throws(CommandError) -> [String] {
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
