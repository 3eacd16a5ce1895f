/// An error with a code from an open set, the party responsible, and text for the log.
///
/// All errors of the library conform, except those that wrap another: `LoadError` has the same properties,
/// for its underlying error. So errors of several types can be handled alike:
///
/// ```swift
/// } catch let error as any CodedError {
///     metrics.count(error.code.label)
///     if error.isRetryable { retryLater() }
/// }
/// ```
public protocol CodedError: Error, CustomStringConvertible {
    /// The codes of this type.
    associatedtype Code: ErrorCode

    /// The kind of failure.
    var code: Code { get }

    /// True if the same call may succeed later without a change; false by default.
    var isRetryable: Bool { get }

    /// Free text for the log: the failure, the received value, and the remedy.
    var detail: String { get }
}

extension CodedError {
    /// The party responsible: that of the code.
    public var fault: Fault { code.fault }

    /// False.
    public var isRetryable: Bool { false }

    /// `code: detail`, on one line.
    public var description: String { "\(code.label): \(detail)" }
}

/// A kind of failure, as a value of a type that may get more of them.
public protocol ErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// A fixed label for metrics and the command line; never built from input.
    var label: String { get }

    /// The party responsible.
    var fault: Fault { get }
}

extension ErrorCode {
    /// The label.
    public var description: String { label }
}

/// A code that can be found by its label.
package protocol ListedCode: ErrorCode {
    static var all: [Self] { get }
}

extension ListedCode {
    /// Returns the code with a label; `nil` if none has it.
    package init?(label: String) {
        guard let code = Self.all.first(where: { $0.label == label }) else { return nil }
        self = code
    }
}
