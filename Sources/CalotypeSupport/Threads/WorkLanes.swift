/// Two queues of work: urgent work goes first, and each queue is first in, first out.
///
/// Pure bookkeeping: decides what may start next; the caller runs it.
struct WorkLanes<Work> {
    /// The number of urgent items that may precede a waiting ordinary item.
    ///
    /// Then the ordinary item has its turn: endless urgent work slows ordinary work down, but does not stop
    /// it.
    static var maxUrgentRun: Int { 16 }

    /// The maximum number of ordinary items that run at once.
    let maxOrdinary: Int

    private var urgent = WorkLine<Work>()
    private var ordinary = WorkLine<Work>()
    private var runningOrdinary = 0
    private var urgentRun = 0

    init(maxOrdinary: Int) {
        self.maxOrdinary = maxOrdinary
    }

    /// True if nothing waits, including items that may not start yet.
    var isEmpty: Bool { urgent.count + ordinary.count == 0 }

    /// The number of items that may start now.
    var startableCount: Int { urgent.count + min(ordinary.count, maxOrdinary - runningOrdinary) }

    /// Appends an item to its queue.
    mutating func append(_ work: Work, _ urgency: BlockingPool.Urgency) {
        switch urgency {
        case .urgent: urgent.append(work)
        case .ordinary: ordinary.append(work)
        }
    }

    /// Removes the item to start next; `nil` if none may start.
    ///
    /// ``finish(_:)`` must follow.
    mutating func takeNext() -> (work: Work, urgency: BlockingPool.Urgency)? {
        let mayBeOrdinary = ordinary.count > 0 && runningOrdinary < maxOrdinary
        if mayBeOrdinary, urgent.count == 0 || urgentRun >= Self.maxUrgentRun, let work = ordinary.takeFirst()
        {
            urgentRun = 0
            runningOrdinary += 1
            return (work, .ordinary)
        }
        guard let work = urgent.takeFirst() else { return nil }
        urgentRun = mayBeOrdinary ? urgentRun + 1 : 0
        return (work, .urgent)
    }

    /// Notes the end of an item.
    mutating func finish(_ urgency: BlockingPool.Urgency) {
        if urgency == .ordinary { runningOrdinary -= 1 }
    }
}

/// A queue that moves each entry once on average and releases a removed entry at once.
private struct WorkLine<Work> {
    private var entries: [Work?] = []
    private var headIndex = 0

    var count: Int { entries.count - headIndex }

    mutating func append(_ work: Work) {
        entries.append(work)
    }

    mutating func takeFirst() -> Work? {
        guard headIndex < entries.count else { return nil }
        let work = entries[headIndex].take()
        headIndex += 1
        if headIndex * 2 >= entries.count {
            entries.removeFirst(headIndex)
            headIndex = 0
        }
        return work
    }
}
