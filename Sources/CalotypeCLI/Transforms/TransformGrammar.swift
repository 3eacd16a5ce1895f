import CalotypeCore
import CalotypeTransforms

/// All steps of the command line: one table for what is parsed and for what is told about it.
enum TransformGrammar {
    /// The steps in the order in which they are listed.
    static let steps: [TransformStep] = geometrySteps + shapeSteps + colorSteps + effectSteps

    /// What the words in capitals of the grammars stand for.
    static let notation = """
        N, W and H are whole numbers of pixels.
        COLOR is rgb, rrggbb or rrggbbaa in hexadecimal digits, or white, black or clear.
        NUMBER and DEGREES may have a fraction.
        GRAVITY is \(ArgumentForm<Gravity>.names(separator: ", ")).
        BLEND is \(ArgumentForm<BlendMode>.names(separator: ", ")).
        What stands in brackets may be left out; | stands between what exclude each other.
        """

    /// Understands a step as it is typed, and checks what can be checked without a picture.
    ///
    /// - Throws: ``StepError``, or ``CalotypeTransforms/TransformError`` where the values make no sense.
    static func parse(_ text: String) throws -> ParsedStep {
        let text = try StepText(text)
        guard let step = steps.first(where: { $0.name == text.name }) else {
            throw StepError(.unknownStep, unknown(text.name))
        }
        let parsed = try step.parsed(text)
        try parsed.validate()
        return parsed
    }

    /// What to say about a step that there is not: those with a name like it, else all.
    private static func unknown(_ name: String) -> String {
        let known = steps.map(\.name)
        let near = NearNames.of(name, among: known)
        let question = "did you mean \(near.joined(separator: " or "))?"
        let rest = near.isEmpty ? "the steps are \(known.joined(separator: ", "))" : question
        return "there is no step \(StepError.quoted(name)); \(rest)"
    }
}
