/// A queue of loads, with one limit for all and one for each host.
///
/// The most urgent load starts first; equally urgent ones in order of age, oldest or newest first. A load
/// whose host is at its limit is skipped, so that a slow host delays no other. Every operation takes time
/// logarithmic in the number of waiting loads.
struct AdmissionQueue {
    struct Ticket: Hashable, Sendable {
        let number: Int
        let host: String

        // The number alone: each ticket of the queue is hashed a dozen times.
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// The result of entering the queue.
    enum Entry {
        case start
        case wait
        case overloaded
    }

    private struct OwnLimit {
        let maxRunningCount: Int
        let maxWaitingCount: Int
    }

    /// The order of waiting loads.
    private struct Rank: Comparable {
        let priority: LoadPriority
        let turn: Int

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority == right.priority ? left.turn < right.turn : left.priority > right.priority
        }
    }

    let maxRunningCount: Int
    let maxRunningCountPerHost: Int
    let maxWaitingCount: Int
    /// The part of them that may wait for one host, so that an unresponsive host leaves capacity for others.
    let maxWaitingCountPerHost: Int
    /// The hosts with limits of their own.
    private var ownLimits: [String: OwnLimit] = [:]
    let order: QueueOrder
    /// The permits, overall and per host, that loads below `normal` leave unused, so that loads for the user
    /// start despite any number of prefetches.
    let reserve: (all: Int, host: Int)

    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    /// The waiting loads without those above the part of their host, which returned and must not use up the
    /// capacity of other hosts.
    private var countedCount = 0
    private var runningCounts: [String: Int] = [:]
    /// The waiting loads of each host.
    private var lines: [String: IndexedHeap<Ticket, Rank>] = [:]
    /// The hosts below their limit with waiting loads, each with the rank of its first load.
    private var hosts = IndexedHeap<String, Rank>()

    init(
        maxRunningCount: Int,
        maxRunningCountPerHost: Int,
        maxWaitingCount: Int,
        maxWaitingCountPerHost: Int = .max,
        order: QueueOrder,
        reserve: (all: Int, host: Int) = (0, 0)
    ) {
        precondition(maxRunningCount >= 1 && maxRunningCountPerHost >= 1, "no load could ever start")
        precondition(reserve.all < maxRunningCount && reserve.host < maxRunningCountPerHost)
        self.reserve = reserve
        self.maxRunningCount = maxRunningCount
        self.maxRunningCountPerHost = maxRunningCountPerHost
        self.maxWaitingCount = maxWaitingCount
        self.maxWaitingCountPerHost = maxWaitingCountPerHost
        self.order = order
    }

    /// Gives a host limits of its own; its waiting loads do not count among those of the others.
    mutating func limit(_ host: String, maxRunningCount: Int, maxWaitingCount: Int) {
        ownLimits[host] = OwnLimit(maxRunningCount: maxRunningCount, maxWaitingCount: maxWaitingCount)
    }

    /// The running and waiting loads of each host.
    var activity: LoaderActivity {
        var activity = LoaderActivity()
        (activity.runningCount, activity.waitingCount) = (runningCount, waitingCount)
        for (host, count) in runningCounts { activity.origins[host, default: .init()].runningCount = count }
        for (host, line) in lines { activity.origins[host, default: .init()].waitingCount = line.count }
        return activity
    }

    /// The number of running loads of a host.
    func runningCount(of host: String) -> Int { runningCounts[host, default: 0] }

    /// Starts a load if it need not wait; returns whether it has started.
    mutating func enterAtOnce(_ ticket: Ticket, _ priority: LoadPriority) -> Bool {
        guard hasRoom(priority), hasRoom(ticket.host, priority) else { return false }
        start(ticket)
        return true
    }

    /// Adds a load; one that returns is never refused.
    mutating func enter(_ ticket: Ticket, _ priority: LoadPriority, isReturning: Bool = false) -> Entry {
        if enterAtOnce(ticket, priority) { return .start }
        let (count, own) = (lines[ticket.host]?.count ?? 0, ownLimits[ticket.host])
        let isCounted = own == nil && count < maxWaitingCountPerHost
        let mayWait = own.map { count < $0.maxWaitingCount } ?? (isCounted && countedCount < maxWaitingCount)
        guard mayWait || isReturning else { return .overloaded }
        waitingCount += 1
        if isCounted { countedCount += 1 }
        let rank = rank(ticket, priority)
        lines[ticket.host, default: IndexedHeap()].set(ticket, rank)
        hostChanged(ticket.host)
        return .wait
    }

    /// Counts a running load of a host without limits for another host; `nil` if that one is at its limit.
    mutating func move(_ ticket: Ticket, to host: String) -> Ticket? {
        guard hasRoom(host, .normal) else { return nil }
        runningCount -= 1
        removeRunning(ticket.host)
        let moved = Ticket(number: ticket.number, host: host)
        start(moved)
        return moved
    }

    /// Changes the priority of a waiting load, and returns the load that may start because of it; ignores
    /// loads that do not wait.
    mutating func change(_ ticket: Ticket, to priority: LoadPriority) -> Ticket? {
        guard isWaiting(ticket) else { return nil }
        let rank = rank(ticket, priority)
        lines[ticket.host]?.set(ticket, rank)
        hostChanged(ticket.host)
        return startNext()
    }

    /// Ends a running load, and returns the load that starts in its place.
    mutating func leave(_ ticket: Ticket) -> Ticket? {
        runningCount -= 1
        removeRunning(ticket.host)
        return startNext()
    }

    private mutating func removeRunning(_ host: String) {
        let count = (runningCounts[host] ?? 1) - 1
        runningCounts[host] = count == 0 ? nil : count
        hostChanged(host)
    }

    /// Starts the most urgent waiting load, if a permit is available for it.
    private mutating func startNext() -> Ticket? {
        guard let (host, rank) = hosts.first, hasRoom(rank.priority), let next = lines[host]?.first?.id else {
            return nil
        }
        remove(next)
        start(next)
        return next
    }

    mutating func abandon(_ ticket: Ticket) {
        guard isWaiting(ticket) else { return }
        remove(ticket)
        hostChanged(ticket.host)
    }

    private func isWaiting(_ ticket: Ticket) -> Bool {
        lines[ticket.host]?.contains(ticket) == true
    }

    private func rank(_ ticket: Ticket, _ priority: LoadPriority) -> Rank {
        Rank(priority: priority, turn: order == .oldestFirst ? ticket.number : -ticket.number)
    }

    private func hasRoom(_ priority: LoadPriority) -> Bool {
        runningCount < maxRunningCount - (priority < .normal ? reserve.all : 0)
    }

    private func hasRoom(_ host: String, _ priority: LoadPriority) -> Bool {
        let own = ownLimits[host]?.maxRunningCount
        let maxCount = own ?? maxRunningCountPerHost - (priority < .normal ? reserve.host : 0)
        return runningCounts[host, default: 0] < maxCount
    }

    private mutating func remove(_ ticket: Ticket) {
        waitingCount -= 1
        lines[ticket.host]?.remove(ticket)
        let isCounted = ownLimits[ticket.host] == nil
        if isCounted, lines[ticket.host]?.count ?? 0 < maxWaitingCountPerHost { countedCount -= 1 }
        if lines[ticket.host]?.isEmpty == true { lines[ticket.host] = nil }
    }

    private mutating func start(_ ticket: Ticket) {
        runningCount += 1
        runningCounts[ticket.host, default: 0] += 1
        hostChanged(ticket.host)
    }

    private mutating func hostChanged(_ host: String) {
        if let first = lines[host]?.first, hasRoom(host, first.value.priority) {
            hosts.set(host, first.value)
        } else {
            hosts.remove(host)
        }
    }
}
