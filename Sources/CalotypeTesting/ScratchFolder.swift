import FoundationEssentials

/// A temporary folder for a test, removed with its contents when the last reference is released.
public final class ScratchFolder: Sendable {
    /// The folder's absolute path.
    public let path: String

    /// Creates the folder.
    ///
    /// - Throws: The error of the file manager.
    public init() throws {
        let name = "calotype-test-" + String(UInt64.random(in: .min ... .max), radix: 16)
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) was left behind: \(error)")
        }
    }

    /// Returns the paths of all files below, relative to the folder, sorted.
    ///
    /// - Throws: The error of the file manager.
    public func files() throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: path)
        return paths.filter { subpath in
            var isFolder: Bool = false
            return FileManager.default.fileExists(atPath: path + "/" + subpath, isDirectory: &isFolder)
                && !isFolder
        }.sorted()
    }
}
