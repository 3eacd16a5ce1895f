import Foundation
import TestSupport
import Testing

@Suite(.blocking) struct HouseRulesTests {
    @Test func `the source tree is found`() {
        #expect(SourceTree.files.count > 20)
    }

    @Test func `modules import only what the import table allows`() {
        #expect(ImportRules.breaches(in: SourceTree.files) == [])
    }

    @Test func `every module of the package is listed in the import table`() {
        let modules = Set(
            SourceTree.files.filter { $0.path.hasPrefix("Sources/") && $0.path.hasSuffix(".swift") }
                .map { $0.components[1] }
        )
        #expect(modules.subtracting(ImportRules.allowed.keys) == [])
    }

    @Test func `no file contains a banned word`() {
        #expect(WordRules.bannedBreaches(in: SourceTree.files) == [])
    }

    @Test func `each unchecked construct has a comment with its reason`() {
        #expect(WordRules.uncheckedBreaches(in: SourceTree.files) == [])
    }

    @Test func `every transform of the library is in the table of messages for workers`() throws {
        let files = SourceTree.files.filter { $0.path.hasPrefix("Sources/CalotypeTransforms/") }
        let pattern =
            #/^(?:package |public )?struct (\w+): [^{]*(?:NamedTransform|VipsTransform|PartFinding)/#
        let transforms = files.flatMap(\.lines).compactMap {
            $0.prefixMatch(of: pattern).map { String($0.1) }
        }
        let table = try #require(files.first { $0.path.hasSuffix("/TransformTable.swift") })
        let listed = table.lines.joined().matches(of: #/(\w+)\.self/#).map { String($0.1) }
        #expect(transforms.count > 15)
        #expect(Set(transforms).subtracting(listed) == [])
    }

    @Test func `every table by text is listed with its bound`() throws {
        let path = SourceTree.root.appending(path: "Docs/decisions/0361-every-table-has-a-bound.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let listed = Set(text.matches(of: #/`([\w+]+\.\w+)`/#).map { String($0.1) })
        #expect(TableRules.breaches(in: SourceTree.files, listed: listed) == [])
        #expect(listed.subtracting(TableRules.tables(in: SourceTree.files).map(\.name)) == [])
    }

    @Test func `comments are in plain English`() {
        #expect(ProseRules.breaches(in: ProseRules.comments(in: SourceTree.files)) == [])
    }

    @Test func `documents are in plain English`() {
        #expect(ProseRules.breaches(in: ProseRules.prose(in: SourceTree.documents)) == [])
    }

    @Test func `no file exceeds the maximum number of lines`() {
        #expect(SizeRules.fileBreaches(in: SourceTree.files) == [])
    }

    @Test func `no function exceeds the maximum number of lines`() {
        #expect(SizeRules.functionBreaches(in: SourceTree.files) == [])
    }

    @Test func `lines are at most 110 columns wide`() {
        #expect(SizeRules.columnBreaches(in: SourceTree.files) == [])
    }

    @Test func `no path contains a space`() {
        #expect(SourceTree.paths.filter { $0.contains(" ") } == [])
    }
}

/// Deliberate breaches of the rules, so that no rule passes because it checks nothing.
@Suite(.blocking) struct HouseRulesCanFailTests {
    private func file(_ path: String, _ text: String) -> [SourceTree.File] {
        [
            SourceTree.File(
                path: path,
                lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            )
        ]
    }

    @Test(arguments: ["import AsyncHTTPClient", "public import Calotype", "@testable import CalotypeCLI"])
    func `a forbidden import is reported`(line: String) {
        let breaches = ImportRules.breaches(in: file("Sources/CalotypeCore/Image/Image.swift", "\n" + line))
        #expect(breaches.map(\.line) == [2])
    }

    @Test func `the HTTP client may be imported only in its own module`() {
        let text = "import CLibCurl"
        #expect(ImportRules.breaches(in: file("Sources/CalotypeTransfer/A.swift", text)) == [])
        #expect(ImportRules.breaches(in: file("Sources/CalotypeLoading/HTTP/A.swift", text)).count == 1)
    }

    @Test func `observability packages may be imported only in their own folder`() {
        let text = "import Logging"
        #expect(ImportRules.breaches(in: file("Sources/Calotype/Observers/A.swift", text)) == [])
        #expect(ImportRules.breaches(in: file("Sources/Calotype/A.swift", text)).count == 1)
    }

    @Test func `a banned word is reported`() {
        let breaches = WordRules.bannedBreaches(in: file("Sources/Calotype/A.swift", "let a = try" + "! b()"))
        #expect(breaches.count == 1)
    }

    @Test(arguments: [
        "/// What is kept.", "// It ends. Who waits gets an error.",
        "/// - Returns: Of two sizes the larger one.",
        "// nobody waits", "/// A size that is none.", "// A port is no number.",
    ])
    func `a comment that is not in plain English is reported`(line: String) {
        let comments = ProseRules.comments(in: file("Sources/Calotype/A.swift", "\n" + line))
        #expect(ProseRules.breaches(in: comments).map(\.line) == [2])
    }

    @Test(arguments: [
        "/// Whether it is larger.", "// There is no limit.", "/// A size that is no larger than the other.",
        "// Where?", "/// `What` is a name.",
    ])
    func `plain English is not reported`(line: String) {
        #expect(
            ProseRules.breaches(in: ProseRules.comments(in: file("Sources/Calotype/A.swift", line))) == []
        )
    }

    @Test func `code and tables of a document are not checked as prose`() {
        let text = "Text.\n```\nWhat\n```\n| Who |\n# Of names\n- Nobody waits."
        let prose = ProseRules.prose(in: file("README.md", text))
        #expect(ProseRules.breaches(in: prose).map(\.line) == [7])
    }

    @Test(arguments: [
        "var hosts: [String: Int] = [:]", "    private let a = Guarded<[String: Int]>([:])",
        "private(set) var keys: Set<ImageKey> = []", "let memory = MemoryCache<ImageKey, Int>(costLimit: 1)",
    ])
    func `a table that is not listed is reported`(line: String) {
        let files = file("Sources/Calotype/A.swift", "struct A {\n\(line)\n}".replacing("\n", with: "\n    "))
        #expect(TableRules.breaches(in: files, listed: []).map(\.line) == [2])
        let name = TableRules.tables(in: files).first?.name ?? ""
        #expect(TableRules.breaches(in: files, listed: [name]) == [])
    }

    @Test func `settings and local variables are not tables`() {
        let text = """
            struct A {
                public var names: Set<String> = []
                static let words: Set<String> = ["a"]
                func a() {
                    var found: [String: Int] = [:]
                }
            }
            """
        #expect(TableRules.breaches(in: file("Sources/Calotype/A.swift", text), listed: []) == [])
    }

    @Test func `an index without a file, a function or a folder is reported`() {
        let files =
            file("Sources/A/B/C.swift", "func run() {}") + file("Sources/A/D.swift", "")
            + file("Sources/C/E/f.c", "")
        let index = ["## Where", "### A", "| runs | `B/C` `run(`, `D` |", "### C", "| calls | `C/E/f.c` |"]
        #expect(IndexRules.breaches(in: index, files: files) == [])
        let wrong = ["### A", "| runs | `B/C` `stop(` |", "| moved | `B/D`, `C/E/f.c` |"]
        let breaches = IndexRules.breaches(in: wrong, files: files)
        #expect(breaches.map(\.line) == [2, 3, 1])
        #expect(breaches.last?.remedy == "name a file of Sources/A")
    }

    @Test func `a longer word that ends like a banned one is not reported`() {
        #expect(WordRules.bannedBreaches(in: file("Sources/Calotype/A.swift", "en" + "try?.value")) == [])
    }

    @Test func `an unchecked construct is reported only without a reason`() {
        let bare = "final class A: @unchecked " + "Sendable {}"
        #expect(WordRules.uncheckedBreaches(in: file("Sources/Calotype/A.swift", bare)).count == 1)
        let reasoned = "// The pointer never changes.\n" + bare
        #expect(WordRules.uncheckedBreaches(in: file("Sources/Calotype/A.swift", reasoned)) == [])
    }

    @Test func `a long function and a long file are reported`() {
        let body = "    func long() {\n" + String(repeating: "        a()\n", count: 71) + "    }"
        #expect(SizeRules.functionBreaches(in: file("Sources/Calotype/A.swift", body)).map(\.line) == [1])
        let long = String(repeating: "\n", count: 501)
        #expect(SizeRules.fileBreaches(in: file("Sources/Calotype/A.swift", long)).count == 1)
    }

    @Test func `a wide line is reported`() {
        let breaches = SizeRules.columnBreaches(
            in: file("Sources/Calotype/A.swift", String(repeating: "a", count: 111))
        )
        #expect(breaches.count == 1)
    }
}
