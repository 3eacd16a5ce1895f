/// A queue that orders work: for each key one item at a time, in order; different keys concurrently; a
/// barrier alone, after all work before it and before all work after it; a fence after all work before it,
/// beside all work after it.
///
/// Pure bookkeeping: it determines which work may start, and the caller runs it.
package struct KeyedQueue<Key: Hashable & Sendable, Work: Sendable>: Sendable {
    /// Work that may run now; ``KeyedQueue/finish(_:)`` must follow.
    package struct Start: Sendable {
        package let work: Work
        package let turn: Turn
    }

    /// The turn of a key, of a barrier, or of a fence.
    package enum Turn: Hashable, Sendable {
        case key(Key)
        case barrier
        case fence
    }

    private struct Waiting {
        let work: Work
        let turn: Turn
    }

    private struct Fence {
        let work: Work
        /// The number of keys that have not reached the fence.
        var keyCount: Int
    }

    private enum Item {
        case work(Work)
        /// The number of a fence.
        case fence(Int)
    }

    /// A FIFO queue in constant time per item; served items are released at once.
    private struct Line {
        private var items: [Item?] = []
        private var servedCount = 0

        mutating func append(_ item: Item) { items.append(item) }

        mutating func popFirst() -> Item? {
            guard servedCount < items.count else { return nil }
            let item = items[servedCount].take()
            servedCount += 1
            if servedCount * 2 > items.count {
                items.removeFirst(servedCount)
                servedCount = 0
            }
            return item
        }
    }

    /// The keys whose turn is running, each with its queue of waiting work.
    private var queues: [Key: Line] = [:]
    /// The fences that wait for running keys, by number.
    private var fences: [Int: Fence] = [:]
    private var lastFence = 0
    package private(set) var isBarrierRunning = false
    /// The work after a barrier that has not finished, starting with the barrier itself unless it runs.
    private var held: [Waiting] = []

    package init() {}

    /// Whether no work runs or waits.
    package var isIdle: Bool { queues.isEmpty && held.isEmpty && !isBarrierRunning }

    /// The keys with running or waiting work.
    package var busyKeys: Set<Key> {
        var keys = Set(queues.keys)
        for case .key(let key) in held.lazy.map(\.turn) { keys.insert(key) }
        return keys
    }

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
        var starts: [Start] = []
        switch turn {
        case .fence:
            return []
        case .barrier:
            isBarrierRunning = false
        case .key(let key):
            while let next = queues[key]?.popFirst() {
                switch next {
                case .work(let work): return starts + [Start(work: work, turn: turn)]
                case .fence(let number): starts += reach(number)
                }
            }
            queues[key] = nil
        }
        return starts + release()
    }

    /// Counts a key that has reached a fence; returns the work of the fence if it was the last one.
    private mutating func reach(_ number: Int) -> [Start] {
        fences[number]?.keyCount -= 1
        guard let fence = fences[number], fence.keyCount == 0 else { return [] }
        fences[number] = nil
        return [Start(work: fence.work, turn: .fence)]
    }

    /// Starts the work of a fence, or lets it wait for the running keys.
    private mutating func begin(fence work: Work) -> [Start] {
        guard !queues.isEmpty else { return [Start(work: work, turn: .fence)] }
        lastFence += 1
        fences[lastFence] = Fence(work: work, keyCount: queues.count)
        for key in queues.keys { queues[key]?.append(.fence(lastFence)) }
        return []
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
            case .fence:
                starts += begin(fence: waiting.work)
            case .key(let key):
                if queues[key] == nil {
                    queues[key] = Line()
                    starts.append(Start(work: waiting.work, turn: waiting.turn))
                } else {
                    queues[key]?.append(.work(waiting.work))
                }
            }
            taken += 1
        }
        held.removeFirst(taken)
        return starts
    }
}
