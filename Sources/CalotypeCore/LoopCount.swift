/// How often an animation plays.
public enum LoopCount: Hashable, Sendable {
    /// Without end; written as 0 in the files.
    case infinite

    /// So many times in all, at least once.
    case times(Int)
}
