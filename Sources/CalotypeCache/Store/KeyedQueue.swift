/// A queue that orders work: for each key one item at a time, in order; different keys concurrently; a
/// barrier alone, after all work before it and before all work after it.
///
/// Pure bookkeeping: it determines which work may start, and the caller runs it.
package struct KeyedQueue<Key: Hashable & Sendable, Work: Sendable>: Sendable {
    /// Work that may run now; ``KeyedQueue/finish(_:)`` must follow.
    package struct Start: Sendable {
        package let work: Work
        package let turn: Turn
    }

    /// The turn of a key, or of a barrier.
    package enum Turn: Hashable, Sendable {
        case key(Key)
        case barrier
    }

    private struct Waiting {
        let work: Work
        let turn: Turn
    }

    /// A FIFO queue in constant time per item; served items are released at once.
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

    /// The keys whose turn is running, each with its queue of waiting work.
    private var queues: [Key: Line] = [:]
    /// Whether a barrier is running.
    package private(set) var isBarrierRunning = false
    /// The work after a barrier that has not finished, starting with the barrier itself unless it runs.
    private var held: [Waiting] = []

    package init() {}

    /// Whether no work runs or waits.
    package var isIdle: Bool { queues.isEmpty && held.isEmpty && !isBarrierRunning }

    /// Returns whether a key's turn, or a barrier's, is running.
    package func isBusy(_ key: Key) -> Bool { queues[key] != nil || isBarrierRunning }

    /// Requests a turn; returns the work that may start at once.
    package mutating func append(_ work: Work, for turn: Turn) -> [Start] {
        held.append(Waiting(work: work, turn: turn))
        return release()
    }

    /// Reserves a key's turn if it is free, even ahead of a waiting barrier, which then waits for this turn
    /// too.
    package mutating func reserve(_ key: Key) -> Bool {
        guard !isBusy(key) else { return false }
        queues[key] = Line()
        return true
    }

    /// Ends a turn; returns the work that may start now.
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

    /// Starts or queues the held work, up to and including the next barrier.
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
