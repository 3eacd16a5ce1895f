/// The frames of an animated image to decode.
public enum FrameSelection: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first frame only: the result is a still.
    case first

    /// All frames.
    case all
}
