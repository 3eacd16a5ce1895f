/// The party responsible for a failure, who can correct it.
///
/// Frozen: no case will be added.
public enum Fault: String, Hashable, Sendable, CaseIterable {
    /// The caller: the request is invalid or not allowed.
    case caller
    /// The bytes: not an image, or a damaged one.
    case input
    /// The origin server or the network path to it.
    case origin
    /// This machine or program: its memory, its disk, its codecs.
    case environment
    /// A configured limit: size, time, queue length.
    case limit
}
