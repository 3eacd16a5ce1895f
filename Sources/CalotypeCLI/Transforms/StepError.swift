/// The reason why a step of `--transform` was rejected.
struct StepError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, as a fixed word.
    enum Code: Hashable, Sendable {
        /// The text is longer than any step.
        case tooLong
        /// No step has this name.
        case unknownStep
        /// The step has no argument of this name, or takes no value without a name.
        case unknownKey
        /// An argument is given twice, or two that exclude each other.
        case repeatedKey
        /// A required argument is not given, or has no value.
        case missingValue
        /// A value has the wrong form.
        case invalidValue
    }

    let code: Code

    /// The received text, and what is allowed.
    let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    var description: String { detail }

    /// Returns text from outside, quoted for an error.
    static func quoted(_ text: String) -> String { "“\(SafeText.shortened(text, to: 60))”" }
}
