public import CalotypeCore

/// An error that prevents codec workers from starting.
public struct SandboxError: CodedError, Hashable {
    /// The error code; open, so that a new code breaks no `switch`.
    public struct Code: ErrorCode {
        /// A fixed word for metrics and the command line.
        public let label: String
        /// Always `Fault.environment`.
        public var fault: Fault { .environment }

        private init(_ label: String) { self.label = label }

        /// The executable cannot be started, or is not a codec worker.
        public static let startFailed = Code("startFailed")
        /// The system cannot sandbox the worker fully.
        public static let notLocked = Code("notLocked")
    }

    /// The error code.
    public let code: Code

    /// A description for the log.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, detail: String) { (self.code, self.detail) = (code, detail) }
}
