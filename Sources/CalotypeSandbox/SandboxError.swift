public import CalotypeCore

/// Why there are no workers.
public struct SandboxError: Error, Hashable, Sendable {
    /// What went wrong; open, so that a new code breaks nobody's `switch`.
    public struct Code: Hashable, Sendable {
        /// A fixed word for metrics and the command line.
        public let label: String

        private init(_ label: String) { self.label = label }

        /// The executable cannot be started, or is no worker.
        public static let startFailed = Code("startFailed")
        /// The system does not lock a worker in as it should be.
        public static let notLocked = Code("notLocked")
    }

    /// What went wrong.
    public let code: Code

    /// Free text for the log.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, detail: String) { (self.code, self.detail) = (code, detail) }
}

extension SandboxError: CustomStringConvertible {
    /// `code: detail`, on one line.
    public var description: String { "\(code.label): \(detail)" }
}

extension SandboxError: CodedError {
    package var codeLabel: String { code.label }

    /// The machine's.
    public var fault: Fault { .environment }
}
