/// The requests and connections that an origin has seen.
package actor OriginActivity {
    package struct Snapshot: Sendable {
        package fileprivate(set) var requests: [OriginRequest] = []
        package fileprivate(set) var openedCount = 0
        /// The number of connections that have ended, from either side.
        package fileprivate(set) var closedCount = 0

        package var openCount: Int { openedCount - closedCount }
    }

    package private(set) var snapshot = Snapshot()

    private struct Watcher {
        let isMet: @Sendable (Snapshot) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private var watchers: [Watcher] = []

    /// Returns once the condition is met.
    package func until(_ isMet: @escaping @Sendable (Snapshot) -> Bool) async {
        if isMet(snapshot) { return }
        await withCheckedContinuation { watchers.append(Watcher(isMet: isMet, continuation: $0)) }
    }

    /// Removes the recorded requests, so that a long test does not retain them all.
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
