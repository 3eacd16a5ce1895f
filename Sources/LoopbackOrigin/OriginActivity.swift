/// What an origin has seen so far.
package actor OriginActivity {
    /// One consistent reading.
    package struct Snapshot: Sendable {
        /// The requests, in the order they came.
        package fileprivate(set) var requests: [OriginRequest] = []
        /// The connections that were accepted.
        package fileprivate(set) var openedCount = 0
        /// The connections that have ended, from whichever side.
        package fileprivate(set) var closedCount = 0

        /// The connections that are open.
        package var openCount: Int { openedCount - closedCount }
    }

    /// The reading now.
    package private(set) var snapshot = Snapshot()

    private struct Watcher {
        let isMet: @Sendable (Snapshot) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private var watchers: [Watcher] = []

    /// Returns as soon as the condition is met.
    package func until(_ isMet: @escaping @Sendable (Snapshot) -> Bool) async {
        if isMet(snapshot) { return }
        await withCheckedContinuation { watchers.append(Watcher(isMet: isMet, continuation: $0)) }
    }

    /// Forgets the requests so far, so that a test that goes on for long does not keep them all.
    package func forgetRequests() {
        snapshot.requests = []
    }

    func received(_ request: OriginRequest) {
        snapshot.requests.append(request)
        tellWatchers()
    }

    func opened() {
        snapshot.openedCount += 1
        tellWatchers()
    }

    func closed() {
        snapshot.closedCount += 1
        tellWatchers()
    }

    private func tellWatchers() {
        for watcher in watchers where watcher.isMet(snapshot) { watcher.continuation.resume() }
        watchers.removeAll { $0.isMet(snapshot) }
    }
}
