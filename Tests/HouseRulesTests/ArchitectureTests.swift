import Foundation
import TestSupport
import Testing

@Suite(.blocking) struct ArchitectureTests {
    private func architecture() throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
    }

    @Test func `the module table lists the imports that the rules permit`() throws {
        let platform: Set = ["Glibc", "Musl", "Bionic", "Darwin", "Foundation", "Testing"]
        let rows = try architecture().matches(of: /\n\| `(\w+)` \| ([^|]+) \| [^|]+ \|/)
        let listed = Dictionary(uniqueKeysWithValues: rows.map { (String($0.1), String($0.2)) })
        let modules = Set(
            SourceTree.files.filter { $0.path.hasPrefix("Sources/") && $0.path.hasSuffix(".swift") }
                .map { $0.components[1] }
        )
        #expect(modules.count > 10)
        for module in modules {
            let allowed = try #require(ImportRules.allowed[module]).subtracting(platform)
            let names = try #require(listed[module], "no row for \(module)").split(separator: ", ")
            let expected = Set(allowed.map { $0 == "Calotype" ? $0 : $0.replacing(/^Calotype/, with: "") })
            #expect(Set(names.map(String.init)) == expected, "\(module)")
        }
    }

    @Test func `every target of the package is listed`() throws {
        let manifest = try String(
            contentsOf: SourceTree.root.appending(path: "Package.swift"),
            encoding: .utf8
        )
        let architecture = try architecture()
        let targets = manifest.matches(of: /(?:module|shim|probe|support)\(\s*"(\w+)"/).map { String($0.1) }
        #expect(targets.count > 20)
        for target in targets { #expect(architecture.contains("`\(target)`"), "\(target)") }
    }

    @Test func `the walk through a load names functions of the linked files`() throws {
        let text = try architecture()
        let begin = try #require(text.range(of: "**Start reading here.**"))
        let end = try #require(text.range(of: "\n| module |"))
        let walk = text[begin.upperBound..<end.lowerBound]
        let steps = walk.matches(of: /\]\((Sources\/[^)]+\.swift)\)\s+`(\w+)\(`/)
        #expect(steps.count >= 14)
        for step in steps {
            let file = try #require(SourceTree.files.first { $0.path == step.1 }, "\(step.1)")
            #expect(file.lines.contains { $0.contains("func \(step.2)") }, "\(step.1): \(step.2)")
        }
        let own = Set(walk.matches(of: /\]\((Sources\/Calotype\/[^)]+\.swift)\)/).map { String($0.1) })
        #expect(own.count <= 16)
    }

    @Test func `the index names existing files, and at least one of each folder`() throws {
        let lines = try architecture().split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init
        )
        #expect(lines.count { $0.hasPrefix("| ") } > 200)
        #expect(IndexRules.breaches(in: lines, files: SourceTree.files) == [])
    }

    @Test(arguments: [
        "Calotype", "CalotypeCache", "CalotypeCLI", "CalotypeCodecs", "CalotypeLoading", "CalotypeSandbox",
        "CalotypeServer", "CalotypeTransforms",
    ])
    func `types of at most six files depend on each other in a circle`(module: String) {
        let files = SourceTree.files.filter { $0.path.hasPrefix("Sources/\(module)/") }
        #expect(files.count > 30)
        for circle in TypeCircles(files).circles { #expect(circle.count <= 6, "\(circle.sorted())") }
    }

    @Test func `a circle of two files is found, and a namespace is no part of one`() {
        let files = [
            SourceTree.File(path: "A.swift", lines: ["struct Alpha { let beta: Beta }"]),
            SourceTree.File(path: "B.swift", lines: ["struct Beta { func alpha() -> Alpha { Alpha() } }"]),
            SourceTree.File(path: "C.swift", lines: ["extension Alpha {", "    struct Gamma {}", "}"]),
            SourceTree.File(path: "D.swift", lines: ["struct Delta { let gamma: Alpha.Gamma }"]),
        ]
        #expect(TypeCircles(files).circles == [["A.swift", "B.swift"]])
    }
}
