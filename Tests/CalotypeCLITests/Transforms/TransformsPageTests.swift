import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct TransformsPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Docs/transforms.md"
    )

    @Test func `each command on the page of transforms parses, and no step is missing`() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let steps = text.matches(of: /--transform ([^\s`]+)/).map { String($0.output.1) }
        #expect(steps.count > 30)
        for step in steps { _ = try TransformGrammar.parse(step) }
        let names = Set(try steps.map { try StepText($0).name })
        #expect(names.isSuperset(of: TransformGrammar.steps.map(\.name)))
    }
}
