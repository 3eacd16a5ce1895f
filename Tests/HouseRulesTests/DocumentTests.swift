import Foundation
import TestSupport
import Testing

/// Consistency of the documents; `Scripts/snippets` compiles their Swift.
@Suite(.blocking) struct DocumentTests {
    private static let decisions = "Docs/decisions"

    private func text(of path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
    }

    private func decisionNames() throws -> [String] {
        let folder = SourceTree.root.appending(path: Self.decisions).path
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter {
            $0 != "README.md"
        }
    }

    @Test func `every decision has its number and title in its heading and is listed in the index`() throws {
        let index = try text(of: Self.decisions + "/README.md").split(separator: "\n").filter {
            $0.hasPrefix("- [")
        }
        let expected = try decisionNames().map { name in
            let head = try text(of: "\(Self.decisions)/\(name)").prefix { $0 != "\n" }
            let number = name.prefix(4)
            try #require(head.hasPrefix("# \(number): "), "\(name)")
            return "- [\(number)](\(name)): \(head.dropFirst("# \(number): ".count))"
        }
        // Only what differs: the whole index fills a terminal.
        #expect(index.map(String.init).difference(from: expected).map { "\($0)" } == [])
    }

    @Test func `the command, the change log, README and the release notes have one version`() throws {
        let program = try text(of: "Sources/CalotypeCLI/Program/Version.swift")
        let version = try #require(program.firstMatch(of: /current = "([0-9]+\.[0-9]+\.[0-9]+)"/)?.1)
        let log = try text(of: "CHANGELOG.md")
        let released = /\n## ([0-9]+\.[0-9]+\.[0-9]+) \([0-9]{4}-[0-9]{2}-[0-9]{2}\)\n/
        #expect(log.firstMatch(of: released)?.1 == version)
        #expect(try text(of: "README.md").contains(".package(url: \"…/calotype.git\", from: \"\(version)\")"))
        #expect(try text(of: "Docs/release-notes-\(version).md").contains("Tag `\(version)`"))
    }

    @Test func `the code, the installer and the install page list the traits of the package`() throws {
        let manifest = try text(of: "Package.swift")
        let traits = Set(manifest.matches(of: /\.trait\(name: "(\w+)"/).map { String($0.1) })
        #expect(traits.count == 7)
        let code = try text(of: "Sources/CalotypeSupport/BuildTrait.swift")
        #expect(Set(code.matches(of: /case \w+ = "(\w+)"/).map { String($0.1) }) == traits)
        #expect(Set(code.matches(of: /#if !(\w+)/).map { String($0.1) }) == traits)
        let installer = try text(of: "Scripts/setup").matches(of: /\n[\w-]+:[\w-]+:[\w@-]+:[\w-]+:([\w,]+)/)
        #expect(Set(installer.flatMap { $0.1.split(separator: ",").map(String.init) }) == traits)
        let table = try text(of: "Docs/install.md").matches(of: /\n\| `(\w+)` \| [^|]+ \| `lib/)
        #expect(Set(table.map { String($0.1) }) == traits)
    }

    private static let documents =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        + SourceTree.paths.filter { $0.hasPrefix("Docs/") && $0.hasSuffix(".md") }

    @Test(arguments: documents)
    func `links of a document lead to existing files`(document: String) throws {
        let places = try text(of: document).components(separatedBy: "](").dropFirst().map {
            String($0.prefix { $0 != ")" && $0 != "#" })
        }
        let links = places.filter { !$0.isEmpty && !$0.contains(":") && !$0.contains(" ") }
        let folder = SourceTree.root.appending(path: document).deletingLastPathComponent()
        for link in links {
            let path = folder.appending(path: link).standardizedFileURL.path
            #expect(FileManager.default.fileExists(atPath: path), "\(document) → \(link)")
        }
    }

    @Test func `each page of the service is listed in its index`() throws {
        let index = try text(of: "Docs/service/README.md")
        let pages = SourceTree.paths.filter { $0.hasPrefix("Docs/service/") && $0.hasSuffix(".md") }
            .map { $0.dropFirst("Docs/service/".count) }.filter { $0 != "README.md" }
        #expect(pages.count > 10)
        for page in pages { #expect(index.contains("](\(page))"), "\(page)") }
    }
}
