/// The number of times that an animation plays.
public enum LoopCount: Hashable, Sendable {
    /// Endless; stored as 0 in files.
    case infinite

    /// A total number of plays, at least 1.
    case times(Int)
}
