/// Orders work: one piece at a time for each key, in the order it came; different keys side by side; a
/// barrier alone, after all that came before it and before all that comes after.
///
/// Pure bookkeeping: it says what may start, and somebody else runs it.
package struct KeyedQueue<Key: Hashable & Sendable, Work: Sendable>: Sendable {
    /// Something that may run now; ``KeyedQueue/finish(_:)`` must follow.
    package struct Start: Sendable {
        package let work: Work
        package let turn: Turn
    }

    /// Whose turn it is.
    package enum Turn: Hashable, Sendable {
        case key(Key)
        case barrier
    }

    private struct Waiting {
        let work: Work
        let turn: Turn
    }

    /// First come, first served, in constant time a piece; what has been served is let go at once.
    private struct Line {
        private var works: [Work?] = []
        private var servedCount = 0

        mutating func append(_ work: Work) { works.append(work) }

        mutating func popFirst() -> Work? {
            guard servedCount < works.count else { return nil }
            let work = works[servedCount].take()
            servedCount += 1
            if servedCount * 2 > works.count {
                works.removeFirst(servedCount)
                servedCount = 0
            }
            return work
        }
    }

    /// A key is here while its turn lasts; its list is what waits for the next ones, first come first.
    private var queues: [Key: Line] = [:]
    /// Whether a barrier's turn lasts.
    package private(set) var isBarrierRunning = false
    /// What came after a barrier that has not finished, the barrier itself first unless it runs.
    private var held: [Waiting] = []

    package init() {}

    /// Whether nothing runs and nothing waits.
    package var isIdle: Bool { queues.isEmpty && held.isEmpty && !isBarrierRunning }

    /// Whether a key's turn, or the barrier's, lasts.
    package func isBusy(_ key: Key) -> Bool { queues[key] != nil || isBarrierRunning }

    /// Asks for a turn; returns what may start at once.
    package mutating func append(_ work: Work, for turn: Turn) -> [Start] {
        held.append(Waiting(work: work, turn: turn))
        return release()
    }

    /// Takes a key's turn if nobody has it; also ahead of a waiting barrier, which then waits for this turn
    /// too.
    package mutating func reserve(_ key: Key) -> Bool {
        guard !isBusy(key) else { return false }
        queues[key] = Line()
        return true
    }

    /// Ends a turn; returns what may start now.
    package mutating func finish(_ turn: Turn) -> [Start] {
        switch turn {
        case .barrier:
            isBarrierRunning = false
        case .key(let key):
            if let next = queues[key]?.popFirst() { return [Start(work: next, turn: turn)] }
            queues[key] = nil
        }
        return release()
    }

    /// Lets in what is held back, up to and with the next barrier.
    private mutating func release() -> [Start] {
        var starts: [Start] = []
        var taken = 0
        for waiting in held {
            guard !isBarrierRunning else { break }
            switch waiting.turn {
            case .barrier:
                guard queues.isEmpty else {
                    held.removeFirst(taken)
                    return starts
                }
                isBarrierRunning = true
                starts.append(Start(work: waiting.work, turn: .barrier))
            case .key(let key):
                if queues[key] == nil {
                    queues[key] = Line()
                    starts.append(Start(work: waiting.work, turn: waiting.turn))
                } else {
                    queues[key]?.append(waiting.work)
                }
            }
            taken += 1
        }
        held.removeFirst(taken)
        return starts
    }
}
