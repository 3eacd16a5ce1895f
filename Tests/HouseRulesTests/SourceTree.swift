import Foundation

/// The files of the package that the rules check.
struct SourceTree {
    struct File {
        let path: String
        let lines: [String]

        var components: [String] { path.split(separator: "/").map(String.init) }

        /// The lines with their numbers, from 1.
        var numberedLines: [(number: Int, text: String)] {
            lines.enumerated().map { (number: $0.offset + 1, text: $0.element) }
        }
    }

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift and C file below Sources, Tests, Examples, Benchmarks and Fuzz.
    static let files: [File] = {
        let folders = ["Sources", "Tests", "Examples", "Benchmarks", "Fuzz"]
        return folders.flatMap { swiftAndC(below: $0) }.compactMap(read)
    }()

    static let documents: [File] = {
        let pages = allPaths(below: "Docs").filter {
            $0.hasSuffix(".md") && !$0.hasPrefix("Docs/decisions/")
        }
        let names = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        return (names + pages).compactMap(read)
    }()

    /// Every path below the same folders, files and folders.
    static let paths: [String] = ["Sources", "Tests", "Docs", "Scripts", "Examples"].flatMap(allPaths)

    private static func swiftAndC(below folder: String) -> [String] {
        allPaths(below: folder).filter { path in
            [".swift", ".c", ".h"].contains { path.hasSuffix($0) }
        }
    }

    private static func allPaths(below folder: String) -> [String] {
        let enumerator = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (enumerator?.allObjects ?? []).compactMap { $0 as? String }
            .filter { !$0.hasPrefix(".build") && !$0.contains("/.build") }
            .map { "\(folder)/\($0)" }.sorted()
    }

    private static func read(_ path: String) -> File? {
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
            return nil
        }
        return File(
            path: path,
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        )
    }
}

/// A breach of a rule: its location and its remedy.
struct Breach: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let remedy: String

    var description: String { "\(path):\(line): \(remedy)" }
}
