/// Whose fault a failure is: who can do something about it.
///
/// Frozen: no case will be added.
public enum Fault: String, Hashable, Sendable, CaseIterable {
    /// Whoever asked: what was asked for makes no sense, or may not be had.
    case caller
    /// The bytes: they are no image, or a damaged one.
    case input
    /// The server that was to send them, or the way to it.
    case origin
    /// This machine or program: its memory, its disk, what its codecs can do.
    case environment
    /// A limit that was set: size, time, how much may wait.
    case limit
}

/// A failure with a code of a fixed set.
package protocol CodedError: Error {
    /// A fixed word for metrics, never built from input.
    var codeLabel: String { get }
    /// Whose fault it is.
    var fault: Fault { get }
}
