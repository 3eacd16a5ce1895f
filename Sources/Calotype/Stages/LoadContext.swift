internal import CalotypeLoading

/// One load on its way through the stages.
///
/// A class, because each stage holds it, and a copy of the request would cost more than the stage's work.
package final class LoadContext: Sendable {
    let request: ImageRequest
    /// The source of the bytes and the key of the result; empty for work on bytes in memory.
    let identity: RequestIdentity
    /// The priority, which may change during the load.
    let priority: LivePriority
    /// The durations of the stages.
    let clock: StageClock

    /// The end of the time that the caller waits; `nil` for shared work, whose callers may wait longer.
    let deadline: CallDeadline?

    /// The source of the bytes as text, which is also the key of the original.
    var source: String { identity.source }

    init(
        _ request: ImageRequest,
        _ identity: RequestIdentity,
        priority: LivePriority,
        clock: StageClock = StageClock(),
        deadline: CallDeadline? = nil
    ) {
        self.request = request
        self.identity = identity
        self.priority = priority
        self.clock = clock
        self.deadline = deadline
    }

    /// Creates the context of work on bytes in memory, which are neither loaded nor cached.
    convenience init(ofBytes request: ImageRequest, priority: LivePriority) {
        self.init(request, RequestIdentity(source: "", variant: ""), priority: priority)
    }

    /// Returns the load as shared work runs it: with the highest priority of its callers, and its own clock.
    func forWork(of priority: LivePriority) -> LoadContext {
        LoadContext(request, identity, priority: priority)
    }

    /// Returns the same load for another request of the same source.
    func replacing(_ request: ImageRequest) -> LoadContext {
        LoadContext(request, identity, priority: priority, clock: clock, deadline: deadline)
    }
}
