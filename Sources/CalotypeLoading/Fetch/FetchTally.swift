internal import CalotypeSupport
package import FoundationEssentials

/// Counts the work of a load across all loaders that take part in it.
///
/// Set one as ``FetchRequest/tally``, and read it when the load has ended.
public final class FetchTally: Sendable {
    /// The counters.
    public struct Counts: Hashable, Sendable {
        /// The number of requests sent again, for a whole body or the rest of one; 0 at first.
        public var retryCount = 0
        /// The number of redirect responses; 0 at first.
        public var redirectCount = 0
        /// The requests over a network that have ended, in the order of their ends; at most the first 100.
        public var transactions: [FetchTransaction] = []

        /// Creates counters at zero.
        public init() {}
    }

    private let state = Guarded(Counts())
    private let queue = Guarded(Queue())

    /// Creates an empty tally.
    public init() {}

    /// The counters so far.
    public var counts: Counts { state.withLock(\.self) }

    /// Whether the load waits for its turn: for a connection, for the rate limit, or for the end of a pause.
    package var isQueued: Bool { queue.withLock(\.isQueued) }

    /// The time when it had its last turn; `nil` if it has not waited for one.
    package var turnBegan: ContinuousClock.Instant? { queue.withLock(\.turnBegan) }

    /// Records whether the load waits for its turn.
    package func recordQueued(_ isQueued: Bool) {
        queue.withLock { queue in
            queue.isQueued = isQueued
            queue.turnBegan = isQueued ? queue.turnBegan : .now
        }
    }

    /// The URL that redirects of the current try have led to; `nil` before the first one.
    package var redirectTarget: URL? { queue.withLock(\.redirectTarget) }

    /// Records the URL that a redirect leads to, or `nil` at the start of a try.
    package func recordRedirect(to target: URL?) {
        queue.withLock { $0.redirectTarget = target }
    }

    private struct Queue: Sendable {
        var isQueued = false
        var turnBegan: ContinuousClock.Instant?
        var redirectTarget: URL?
    }

    /// Counts a request that is sent again.
    public func recordRetry() {
        state.withLock { $0.retryCount += 1 }
    }

    /// Records a request that has ended, successfully or not.
    public func record(_ transaction: FetchTransaction) {
        state.withLock { if $0.transactions.count < 100 { $0.transactions.append(transaction) } }
    }

    /// Counts a redirect response.
    public func recordRedirect() {
        state.withLock { $0.redirectCount += 1 }
    }
}
