import CalotypeCore
import CalotypeTransforms

/// All steps of the command line: one table for parsing and for the documentation.
enum TransformGrammar {
    /// The steps in display order.
    static let steps: [TransformStep] = geometrySteps + shapeSteps + colorSteps + effectSteps

    /// The meaning of the words in capitals in the grammars.
    static let notation = """
        N, W and H are whole numbers of pixels.
        COLOR is rgb, rrggbb or rrggbbaa in hexadecimal digits, or white, black or clear.
        NUMBER and DEGREES may have a fraction.
        GRAVITY is \(ArgumentForm<Gravity>.names(separator: ", ")).
        BLEND is \(ArgumentForm<BlendMode>.names(separator: ", ")).
        Parts in brackets are optional; | separates alternatives.
        """

    /// Parses a step, and validates what does not depend on an image.
    ///
    /// - Throws: ``StepError``, or ``CalotypeTransforms/TransformError`` for invalid values.
    static func parse(_ text: String) throws -> ParsedStep {
        let parts = try StepText(text)
        guard let step = steps.first(where: { $0.name == parts.name }) else {
            if let meant = suggestion(for: text) {
                let typed = StepError.quoted(text)
                throw StepError(.unknownStep, "unknown step \(typed); did you mean \(meant)?")
            }
            throw StepError(.unknownStep, unknown(parts.name))
        }
        let parsed: ParsedStep
        do throws(StepError) {
            parsed = try step.parsed(parts)
        } catch {
            guard error.code == .unknownKey, let meant = suggestion(for: text) else { throw error }
            throw StepError(.unknownKey, "\(error.detail); did you mean \(meant)?")
        }
        try parsed.validate()
        return parsed
    }

    /// Returns a valid step similar to a text that lacks a colon or a key, or `nil`.
    ///
    /// `resize=400x300` and `resize:400x300` become `resize:fit=400x300`, `rotate90` becomes `rotate:90`.
    private static func suggestion(for text: String) -> String? {
        let name = text.prefix { $0.isASCII && $0.isLetter }
        let rest = text.dropFirst(name.count).drop { "=: (".contains($0) }.filter { $0 != ")" }
        guard !rest.isEmpty, let step = steps.first(where: { $0.name == name.lowercased() }) else {
            return nil
        }
        let keys = step.grammar.matches(of: /([A-Za-z]+)=/).map { String($0.output.1) }
        let forms = [rest] + keys.map { "\($0)=\(rest)" }
        return forms.map { "\(step.name):\($0)" }.first { form in
            guard form != text else { return false }
            do {
                let parts = try StepText(form)
                try step.parsed(parts).validate()
                return true
            } catch {
                return false
            }
        }
    }

    /// Returns the error text for an unknown step: steps with similar names, else all names.
    private static func unknown(_ name: String) -> String {
        let known = steps.map(\.name)
        let near = SimilarNames.of(name, among: known)
        let question = "did you mean \(near.joined(separator: " or "))?"
        let rest = near.isEmpty ? "the steps are \(known.joined(separator: ", "))" : question
        return "unknown step \(StepError.quoted(name)); \(rest)"
    }
}
