import CalotypeSupport

/// The shares of the descriptors that the process may open.
///
/// A process without a free descriptor does not live long: libdispatch ends it when it cannot open a file
/// under `/proc`. Everything that opens descriptors on behalf of strangers therefore has a share, and the sum
/// of the shares stays below the limit.
struct DescriptorBudget: Hashable {
    /// The soft limit of the process.
    let limit: Int
    /// Connections of clients at once.
    let connectionCount: Int
    /// Connections of the admin listener at once.
    let adminConnectionCount: Int
    /// Originals that are loaded at once.
    let fetchCount: Int
    /// Codec workers of each kind.
    let workerCount: Int

    /// The shares that the settings ask for.
    struct Wanted {
        var connectionCount: Int
        var adminConnectionCount: Int
        var fetchCount: Int
        var workerCount: Int
        /// Kinds of codec workers; 0 if codecs work in this process.
        var workerKindCount: Int
    }

    /// Listeners, logs, caches, files that are read and written, what libraries open for moments, and three
    /// for the event loop of each core: `epoll`, an event and a timer.
    static func ownCount(coreCount: Int) -> Int { 64 + 3 * coreCount }

    /// A socket, two pipes, a pidfd, statistics, a stop page and room for pixels.
    static let countOfWorker = 10
    /// A socket, another that is tried beside it, and the resolver's.
    static let countOfFetch = 4
    /// A limit below this leaves too little for every share.
    static func minLimit(coreCount: Int) -> Int { ownCount(coreCount: coreCount) + 96 }

    init(limit: Int, coreCount: Int = BlockingPool.coreCount, _ wanted: Wanted) {
        self.limit = limit
        var rest = max(0, limit - Self.ownCount(coreCount: coreCount))
        let countOfWorkers = max(1, wanted.workerKindCount * Self.countOfWorker)
        workerCount = min(wanted.workerCount, max(1, rest / 2 / countOfWorkers))
        if wanted.workerKindCount > 0 { rest = max(0, rest - workerCount * countOfWorkers) }
        adminConnectionCount = min(wanted.adminConnectionCount, max(2, rest / 16))
        rest = max(0, rest - adminConnectionCount)
        fetchCount = min(wanted.fetchCount, max(2, rest / 2 / Self.countOfFetch))
        rest = max(0, rest - fetchCount * Self.countOfFetch)
        connectionCount = min(wanted.connectionCount, max(4, rest))
    }

    /// Returns the warning if fewer connections are accepted than the settings allow; `nil` otherwise.
    func warning(_ wanted: Wanted) -> String? {
        guard connectionCount < wanted.connectionCount else { return nil }
        return "connections: at most \(connectionCount) instead of \(wanted.connectionCount), since the "
            + "process may open \(limit) files; raise LimitNOFILE or `ulimit -n`, or lower connections"
    }
}
