/// The order of equally urgent loads in a queue.
public enum QueueOrder: Hashable, Sendable {
    /// The load that has waited longest goes first.
    case oldestFirst
    /// The newest load goes first: for scrolled lists, whose newest requests are visible.
    case newestFirst
}
