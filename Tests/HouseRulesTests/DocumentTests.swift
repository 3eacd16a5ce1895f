import Foundation
import TestTraits
import Testing

/// What the documents show is what the package compiles.
@Suite(.blocking) struct DocumentTests {
    /// The lines of each block of Swift in a document, without their indentation.
    private func swiftBlocks(in document: String) throws -> [[String]] {
        let text = try String(contentsOf: SourceTree.root.appending(path: document), encoding: .utf8)
        return text.components(separatedBy: "```swift\n").dropFirst().map { rest in
            Self.lines(rest.components(separatedBy: "```")[0])
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test(arguments: ["README.md"])
    func `every line of Swift that a document shows stands in an example that is compiled`(
        document: String
    ) throws {
        let examples = SourceTree.files.filter { $0.path.hasPrefix("Examples/") }
        let compiled = Set(examples.flatMap { Self.lines($0.lines.joined(separator: "\n")) })
        let blocks = try swiftBlocks(in: document).filter { !$0[0].hasPrefix(".package(") }
        #expect(blocks.count >= 2)
        for block in blocks {
            #expect(block.filter { !compiled.contains($0) } == [])
        }
    }
}
