internal import CalotypeLoading

/// One load on its way through the stages.
struct LoadContext: Sendable {
    let request: ImageRequest
    /// The source of the bytes and the key of the result; empty for work on bytes in memory.
    let identity: RequestIdentity
    /// The priority, which may change during the load.
    let priority: LivePriority
    var clock = StageClock()

    /// The source of the bytes as text, which is also the key of the original.
    var source: String { identity.source }

    init(_ request: ImageRequest, _ identity: RequestIdentity, priority: LivePriority) {
        self.request = request
        self.identity = identity
        self.priority = priority
    }

    /// Creates the context of work on bytes in memory, which are neither loaded nor cached.
    init(ofBytes request: ImageRequest, priority: LivePriority) {
        self.init(request, RequestIdentity(source: "", variant: ""), priority: priority)
    }

    /// Returns the load as shared work runs it: with the highest priority of its callers, and its own clock.
    func forWork(of priority: LivePriority) -> LoadContext {
        LoadContext(request, identity, priority: priority)
    }

    /// Returns the same load for another request of the same source.
    func replacing(_ request: ImageRequest) -> LoadContext {
        var load = LoadContext(request, identity, priority: priority)
        load.clock = clock
        return load
    }
}
