import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct TransformGrammarTests {
    /// The transform of a step without files.
    private func chain(_ text: String) throws -> TransformChain? {
        guard case .chain(let chain) = try TransformGrammar.parse(text) else { return nil }
        return chain
    }

    @Test(arguments: TransformGrammar.steps.map(\.name))
    func `each example parses, and changes an image`(name: String) throws {
        let step = try #require(TransformGrammar.steps.first { $0.name == name })
        #expect(!step.examples.isEmpty)
        for example in step.examples { #expect(try StepText(example).name == name) }
        let cells = try TransformSheet(of: TransformSheet.drawnPicture(), steps: [step]).cells
        let before =
            try step.preparation.map { text in
                guard case .chain(let chain) = try TransformGrammar.parse(text) else { return cells[0].image }
                return try chain.apply(to: cells[0].image)
            } ?? cells[0].image
        for after in cells.dropFirst().map(\.image) {
            #expect(after.size != before.size || after.rgba8() != before.rgba8())
        }
    }

    @Test func `step names are unique, and each begins its grammar`() {
        let names = TransformGrammar.steps.map(\.name)
        #expect(Set(names).count == names.count)
        for step in TransformGrammar.steps {
            #expect(step.grammar.hasPrefix(step.name) && !step.name.isEmpty)
            #expect(step.purpose.last == ".")
        }
    }

    @Test func `an unknown step is an error that lists similar steps, or else all`() {
        let near = #expect(throws: StepError.self) { try TransformGrammar.parse("blurr:sigma=3") }
        #expect(near?.code == .unknownStep)
        #expect(near?.detail == "unknown step “blurr”; did you mean blur?")
        let far = #expect(throws: StepError.self) { try TransformGrammar.parse("xyz") }
        let all = TransformGrammar.steps.map(\.name).joined(separator: ", ")
        #expect(far?.detail == "unknown step “xyz”; the steps are \(all)")
    }

    @Test(
        arguments: [
            ("blur", .missingValue, "sigma is missing; write blur:sigma=NUMBER"),
            ("blur:", .missingValue, "the value of blur: is missing; write blur:sigma=NUMBER"),
            ("blur:sigma=", .missingValue, "the value of sigma= is missing; write blur:sigma=NUMBER"),
            ("blur:radius=3", .unknownKey, "blur has no radius=; write blur:sigma=NUMBER"),
            ("blur:3", .unknownKey, "blur has no “3”; write blur:sigma=NUMBER; did you mean blur:sigma=3?"),
            ("blur:x", .unknownKey, "blur has no “x”; write blur:sigma=NUMBER"),
            ("blur=3", .unknownStep, "unknown step “blur=3”; did you mean blur:sigma=3?"),
            ("blur(3)", .unknownStep, "unknown step “blur(3)”; did you mean blur:sigma=3?"),
            ("rotate90", .unknownStep, "unknown step “rotate90”; did you mean rotate:90?"),
            (
                "resize=400x300", .unknownStep,
                "unknown step “resize=400x300”; did you mean resize:fit=400x300?"
            ),
            ("blur:sigma=x", .invalidValue, "sigma= must be a number, such as 2.5, not “x”"),
            ("blur:sigma=1,2", .invalidValue, "sigma= must be a number, such as 2.5, not “1,2”"),
            ("blur:sigma=nan", .invalidValue, "sigma= must be a number, such as 2.5, not “nan”"),
            ("blur:sigma=1,sigma=2", .repeatedKey, "“sigma” is given twice"),
        ] as [(String, StepError.Code, String)]
    )
    func `an error states the problem and the valid values`(
        text: String,
        code: StepError.Code,
        detail: String
    ) {
        let error = #expect(throws: StepError.self) { try TransformGrammar.parse(text) }
        #expect(error == StepError(code, detail))
    }

    @Test func `the quoted input in an error is short`() {
        let text = "blur:sigma=" + String(repeating: "9\u{1B}\n", count: 1000)
        let error = #expect(throws: StepError.self) { try TransformGrammar.parse(text) }
        #expect((error?.detail.count ?? 0) < 120)
        #expect(error?.detail.contains { $0.isNewline || $0 == "\u{1B}" } == false)
    }

    @Test(arguments: ["blur:sigma=0", "blur:sigma=-1", "blur:sigma=1e300"])
    func `invalid values are rejected before a file is read`(text: String) {
        #expect(throws: TransformError.self) { try TransformGrammar.parse(text) }
    }
}
