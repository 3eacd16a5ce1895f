import NIOCore

/// Who may load now and who waits: oldest first, with a limit for all and one for each host.
///
/// A load whose host has no room steps aside, so that a slow host holds nobody up; it starts before any load
/// that came later to the same host. Every step takes constant time, except giving up a place.
struct FetchQueue {
    /// A load's place.
    struct Ticket: Hashable, Sendable {
        let number: Int
        let host: String
    }

    /// What becomes of a load that comes.
    enum Entry {
        case start
        case wait
        case overloaded
    }

    let runningCountMax: Int
    let runningCountPerHostMax: Int
    let waitingCountMax: Int

    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    private var runningCounts: [String: Int] = [:]
    /// Waits for room among all; empty where there is room.
    private var line = CircularBuffer<Ticket>()
    /// Waits for room at its host; everything here came before everything in the line.
    private var aside: [String: CircularBuffer<Ticket>] = [:]

    init(runningCountMax: Int, runningCountPerHostMax: Int, waitingCountMax: Int) {
        precondition(runningCountMax >= 1 && runningCountPerHostMax >= 1, "no load could ever start")
        self.runningCountMax = runningCountMax
        self.runningCountPerHostMax = runningCountPerHostMax
        self.waitingCountMax = waitingCountMax
    }

    /// Takes a new load in.
    mutating func enter(_ ticket: Ticket) -> Entry {
        let hasRoom = runningCount < runningCountMax
        if hasRoom, hasRoomAtHost(ticket) {
            start(ticket)
            return .start
        }
        guard waitingCount < waitingCountMax else { return .overloaded }
        waitingCount += 1
        if hasRoom {
            aside[ticket.host, default: []].append(ticket)
        } else {
            line.append(ticket)
        }
        return .wait
    }

    /// Ends a load that was running, and returns the one that starts in its place.
    mutating func leave(_ ticket: Ticket) -> Ticket? {
        runningCount -= 1
        let count = (runningCounts[ticket.host] ?? 1) - 1
        runningCounts[ticket.host] = count == 0 ? nil : count
        guard let next = nextToStart(after: ticket) else { return nil }
        waitingCount -= 1
        start(next)
        return next
    }

    /// Gives up the place of a load that waits.
    mutating func abandon(_ ticket: Ticket) {
        if let index = aside[ticket.host]?.firstIndex(of: ticket) {
            aside[ticket.host]?.remove(at: index)
            if aside[ticket.host]?.isEmpty == true { aside[ticket.host] = nil }
        } else if let index = line.firstIndex(of: ticket) {
            line.remove(at: index)
        } else {
            return
        }
        waitingCount -= 1
    }

    private mutating func nextToStart(after ended: Ticket) -> Ticket? {
        if let next = aside[ended.host]?.popFirst() {
            if aside[ended.host]?.isEmpty == true { aside[ended.host] = nil }
            return next
        }
        while let next = line.popFirst() {
            if hasRoomAtHost(next) { return next }
            aside[next.host, default: []].append(next)
        }
        return nil
    }

    private func hasRoomAtHost(_ ticket: Ticket) -> Bool {
        runningCounts[ticket.host, default: 0] < runningCountPerHostMax
    }

    private mutating func start(_ ticket: Ticket) {
        runningCount += 1
        runningCounts[ticket.host, default: 0] += 1
    }
}
