internal import CalotypeSupport

/// Counts what a load took beside its one request, where several loaders have a part in it.
///
/// Whoever asks puts one into ``FetchRequest/tally``, and reads it when the load has ended.
public final class FetchTally: Sendable {
    /// What has been counted.
    public struct Counts: Hashable, Sendable {
        /// Requests that were sent once more, for the whole or for the rest of a body; 0 at first.
        public var retryCount = 0
        /// Answers that led elsewhere; 0 at first.
        public var redirectCount = 0
        /// Each request over a network that has ended, in the order in which they did; the first 100.
        public var transactions: [FetchTransaction] = []

        /// Creates counts of nothing.
        public init() {}
    }

    private let state = Guarded(Counts())
    private let queued = Guarded(false)

    /// Creates a tally of nothing.
    public init() {}

    /// What has been counted so far.
    public var counts: Counts { state.withLock(\.self) }

    /// Whether the load waits for its turn in the queue of its loader.
    package var isQueued: Bool { queued.withLock(\.self) }

    /// Notes whether the load waits for its turn.
    func noteQueued(_ isQueued: Bool) { queued.withLock { $0 = isQueued } }

    /// Counts a request that is sent once more.
    public func noteRetry() {
        state.withLock { $0.retryCount += 1 }
    }

    /// Notes a request that has ended, in whichever way.
    public func note(_ transaction: FetchTransaction) {
        state.withLock { if $0.transactions.count < 100 { $0.transactions.append(transaction) } }
    }

    /// Counts an answer that leads elsewhere.
    public func noteRedirect() {
        state.withLock { $0.redirectCount += 1 }
    }
}
