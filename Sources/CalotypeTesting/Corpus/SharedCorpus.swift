package import CalotypeCore
public import FoundationEssentials

/// The folder of pictures with known contents that lies beside the package, where it does.
///
/// Its place is `../shared` as seen from the package, or what the environment variable `CALOTYPE_SHARED`
/// names. Tests that need it are disabled where it is absent: `.enabled(if: SharedCorpus.isPresent,
/// SharedCorpus.advice)`. Public for the benchmarks of this project alone (decision 0222).
public enum SharedCorpus {
    /// The folder; `nil` where it is absent.
    public static let root: URL? = {
        let folder =
            ProcessInfo.processInfo.environment["CALOTYPE_SHARED"].map { URL(filePath: $0) }
            ?? packageRoot.deletingLastPathComponent().appending(path: "shared")
        let manifest = folder.appending(path: "corpus/manifest.json")
        return FileManager.default.fileExists(atPath: manifest.path) ? folder : nil
    }()

    /// Whether the folder is there.
    package static var isPresent: Bool { root != nil }

    /// What to do where it is not.
    package static let advice = "needs the folder ../shared beside the package, or CALOTYPE_SHARED"

    /// What the manifest tells of each file; empty where the folder is absent.
    package static let files: [CorpusFile] = {
        guard let root else { return [] }
        do {
            let data = try Data(contentsOf: root.appending(path: "corpus/manifest.json"))
            return try JSONDecoder().decode(Manifest.self, from: data).files
        } catch {
            preconditionFailure("the manifest of the corpus cannot be read: \(error)")
        }
    }()

    /// The files of one format, sound ones and damaged ones.
    package static func files(format: ImageFormat) -> [CorpusFile] {
        files.filter { $0.format == format.rawValue }
    }

    /// The photographs for measuring, in the order of their names; empty where there are none.
    public static let photographs: [URL] = {
        guard let folder = root?.appending(path: "photos") else { return [] }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return names.sorted().filter { !$0.hasSuffix(".md") }.map { folder.appending(path: $0) }
        } catch {
            return []
        }
    }()

    private static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private struct Manifest: Decodable {
        let files: [CorpusFile]
    }
}
