/// Which frames of an animated image are wanted.
public enum FrameSelection: String, Hashable, Sendable, CaseIterable {
    /// The first only: the result is a still.
    case first

    /// All of them.
    case all
}
