package import CalotypeCore
public import FoundationEssentials

/// The folder of images with known contents beside the package, if it exists.
///
/// Its path is `../shared` relative to the package, or the environment variable `CALOTYPE_SHARED`. Tests that
/// need it are disabled if it is absent: `.enabled(if: SharedCorpus.isPresent, SharedCorpus.advice)`. Public
/// for the benchmarks, which are a package of their own (decision 0342).
public enum SharedCorpus {
    /// The folder; `nil` if it is absent.
    public static let root: URL? = {
        let folder =
            ProcessInfo.processInfo.environment["CALOTYPE_SHARED"].map { URL(filePath: $0) }
            ?? packageRoot.deletingLastPathComponent().appending(path: "shared")
        let manifest = folder.appending(path: "corpus/manifest.json")
        return FileManager.default.fileExists(atPath: manifest.path) ? folder : nil
    }()

    package static var isPresent: Bool { root != nil }

    /// The advice if it does not exist.
    package static let advice = "needs the folder ../shared beside the package, or CALOTYPE_SHARED"

    /// The descriptions of the files from the manifest; empty if the folder is absent.
    package static let files: [CorpusFile] = {
        guard let root else { return [] }
        do {
            let data = try Data(contentsOf: root.appending(path: "corpus/manifest.json"))
            return try JSONDecoder().decode(Manifest.self, from: data).files
        } catch {
            preconditionFailure("the manifest of the corpus cannot be read: \(error)")
        }
    }()

    /// Returns the files of one format, valid and damaged ones.
    package static func files(format: ImageFormat) -> [CorpusFile] {
        files.filter { $0.format == format.rawValue }
    }

    /// The photographs for benchmarks, ordered by name; empty if the folder is absent.
    public static let photographs: [URL] = {
        guard let folder = root?.appending(path: "photos") else { return [] }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return names.sorted().filter { !$0.hasSuffix(".md") }.map { folder.appending(path: $0) }
        } catch {
            return []
        }
    }()

    private static let packageRoot = (1...5).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }

    private struct Manifest: Decodable {
        let files: [CorpusFile]
    }
}
