/// Work that waits in two lanes: urgent work goes first, and in each lane what came first.
///
/// Pure bookkeeping: it says what may start next, and somebody else runs it.
struct WorkLanes<Work> {
    /// So many urgent pieces go ahead of an ordinary one that waits, then it has its turn: ordinary work is
    /// slowed down by urgent work without end, not stopped.
    static var urgentRunMax: Int { 16 }

    /// The greatest number of ordinary pieces that run at once.
    let ordinaryMax: Int

    private var urgent = WorkLine<Work>()
    private var ordinary = WorkLine<Work>()
    private var runningOrdinary = 0
    private var urgentRun = 0

    init(ordinaryMax: Int) {
        self.ordinaryMax = ordinaryMax
    }

    /// Whether nothing waits, neither what may start nor what may not yet.
    var isEmpty: Bool { urgent.count + ordinary.count == 0 }

    /// How many pieces may start now.
    var startableCount: Int { urgent.count + min(ordinary.count, ordinaryMax - runningOrdinary) }

    /// Adds a piece at the end of its lane.
    mutating func append(_ work: Work, _ urgency: BlockingPool.Urgency) {
        switch urgency {
        case .urgent: urgent.append(work)
        case .ordinary: ordinary.append(work)
        }
    }

    /// Takes what is to start next, or `nil` where nothing may; ``finish(_:)`` must follow.
    mutating func takeNext() -> (work: Work, urgency: BlockingPool.Urgency)? {
        let mayBeOrdinary = ordinary.count > 0 && runningOrdinary < ordinaryMax
        if mayBeOrdinary, urgent.count == 0 || urgentRun >= Self.urgentRunMax, let work = ordinary.takeFirst()
        {
            urgentRun = 0
            runningOrdinary += 1
            return (work, .ordinary)
        }
        guard let work = urgent.takeFirst() else { return nil }
        urgentRun = mayBeOrdinary ? urgentRun + 1 : 0
        return (work, .urgent)
    }

    /// Says that a piece has ended.
    mutating func finish(_ urgency: BlockingPool.Urgency) {
        if urgency == .ordinary { runningOrdinary -= 1 }
    }
}

/// A line in which each entry moves once on average, and what has been taken is let go of at once.
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
