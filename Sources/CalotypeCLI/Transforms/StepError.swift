/// Why a step of `--transform` is not understood.
struct StepError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a fixed word.
    enum Code: Hashable, Sendable {
        /// The text is longer than any step.
        case tooLong
        /// There is no step of this name.
        case unknownStep
        /// The step has no argument of this name, or takes no value without one.
        case unknownKey
        /// An argument is given twice, or two that exclude each other.
        case repeatedKey
        /// An argument that the step needs is not given, or has no value.
        case missingValue
        /// A value is not what the argument takes.
        case invalidValue
    }

    let code: Code

    /// What was given, and what is possible.
    let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    var description: String { detail }

    /// Text from outside, as it is quoted in an error.
    static func quoted(_ text: String) -> String { "“\(SafeText.shortened(text, to: 60))”" }
}
