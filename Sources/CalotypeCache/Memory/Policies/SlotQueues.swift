/// Several queues of slots over one array of links; a slot stands in at most one of them at a time.
///
/// The queue a slot stands in doubles as its state. Every operation on a slot is O(1).
struct SlotQueues: Sendable {
    /// The number of a queue.
    typealias Queue = Int

    private struct Node {
        var previous: Int32 = SlotQueues.none
        var next: Int32 = SlotQueues.none
        /// `none` where the slot stands in no queue.
        var queue: Int32 = SlotQueues.none
    }

    private struct Ends {
        var first: Int32 = SlotQueues.none
        var last: Int32 = SlotQueues.none
        var load = CacheLoad()
    }

    private static let none: Int32 = -1

    private var nodes: [Node] = []
    private var costs: [Int] = []
    private var queues: [Ends]

    /// Creates `count` empty queues, numbered from 0.
    init(count: Int) {
        queues = Array(repeating: Ends(), count: count)
    }

    /// The queue that a slot stands in.
    func queue(of slot: Slot) -> Queue? {
        guard slot < nodes.count, nodes[slot].queue != Self.none else { return nil }
        return Queue(nodes[slot].queue)
    }

    /// What stands in a queue.
    func load(of queue: Queue) -> CacheLoad {
        queues[queue].load
    }

    /// The cost of a slot that stands in a queue.
    func cost(of slot: Slot) -> Int {
        costs[slot]
    }

    /// The slot that has stood longest in a queue.
    func first(of queue: Queue) -> Slot? {
        let first = queues[queue].first
        return first == Self.none ? nil : Slot(first)
    }

    /// The slot that came to a queue last.
    func last(of queue: Queue) -> Slot? {
        let last = queues[queue].last
        return last == Self.none ? nil : Slot(last)
    }

    /// The slot that stands right before another in the same queue.
    func slot(before slot: Slot) -> Slot? {
        let previous = nodes[slot].previous
        return previous == Self.none ? nil : Slot(previous)
    }

    /// Puts a slot that stands nowhere at the end of a queue.
    mutating func append(_ slot: Slot, cost: Int, to queue: Queue) {
        insert(slot, cost: cost, in: queue, after: last(of: queue))
    }

    /// Puts a slot that stands nowhere right behind another of the queue, or at the front.
    mutating func insert(_ slot: Slot, cost: Int, in queue: Queue, after previous: Slot?) {
        if slot >= nodes.count {
            let count = slot + 1 - nodes.count
            nodes.append(contentsOf: repeatElement(Node(), count: count))
            costs.append(contentsOf: repeatElement(0, count: count))
        }
        assert(nodes[slot].queue == Self.none, "the slot stands in a queue already")
        costs[slot] = cost
        nodes[slot].queue = Int32(truncatingIfNeeded: queue)
        queues[queue].load.cost += cost
        queues[queue].load.count += 1
        link(slot, in: queue, after: previous.map(Int32.init(truncatingIfNeeded:)) ?? Self.none)
    }

    /// Takes a slot out of the queue it stands in, if it does.
    mutating func remove(_ slot: Slot) {
        guard let queue = queue(of: slot) else { return }
        unlink(slot, from: queue)
        queues[queue].load.cost -= costs[slot]
        queues[queue].load.count -= 1
        nodes[slot].queue = Self.none
    }

    /// Takes a slot from where it stands to the end of a queue.
    mutating func move(_ slot: Slot, to queue: Queue) {
        if nodes[slot].queue == Int32(truncatingIfNeeded: queue) {
            moveToEnd(slot)
        } else {
            let cost = costs[slot]
            remove(slot)
            append(slot, cost: cost, to: queue)
        }
    }

    /// Takes a slot to the end of the queue it stands in.
    mutating func moveToEnd(_ slot: Slot) {
        let queue = Queue(nodes[slot].queue)
        guard nodes[slot].next != Self.none else { return }
        unlink(slot, from: queue)
        link(slot, in: queue, after: queues[queue].last)
    }

    private mutating func link(_ slot: Slot, in queue: Queue, after previous: Int32) {
        let number = Int32(truncatingIfNeeded: slot)
        let next = previous == Self.none ? queues[queue].first : nodes[Slot(previous)].next
        nodes[slot].previous = previous
        nodes[slot].next = next
        if previous == Self.none { queues[queue].first = number } else { nodes[Slot(previous)].next = number }
        if next == Self.none { queues[queue].last = number } else { nodes[Slot(next)].previous = number }
    }

    private mutating func unlink(_ slot: Slot, from queue: Queue) {
        let previous = nodes[slot].previous
        let next = nodes[slot].next
        if previous == Self.none { queues[queue].first = next } else { nodes[Slot(previous)].next = next }
        if next == Self.none { queues[queue].last = previous } else { nodes[Slot(next)].previous = previous }
    }
}

extension SlotQueues {
    /// The slots of a queue from first to last; for tests and checks.
    func slots(of queue: Queue) -> [Slot] {
        Array(
            sequence(state: queues[queue].first) { [nodes] slot -> Slot? in
                guard slot != Self.none else { return nil }
                defer { slot = nodes[Slot(slot)].next }
                return Slot(slot)
            }
        )
    }

    /// Stops the process where links, queues and loads contradict each other; for tests.
    func checkInvariants() {
        var seen = 0
        for queue in queues.indices {
            var load = CacheLoad()
            var previous = Self.none
            for slot in slots(of: queue) {
                precondition(nodes[slot].queue == Int32(queue), "a slot stands in the queue it names")
                precondition(nodes[slot].previous == previous, "links lead back as they lead forth")
                previous = Int32(slot)
                load = load.adding(cost: costs[slot])
            }
            precondition(queues[queue].last == previous, "a queue ends where its last link ends")
            precondition(queues[queue].load == load, "the load is the sum of what stands in the queue")
            seen += load.count
        }
        precondition(
            seen == nodes.count { $0.queue != Self.none },
            "every slot that names a queue stands in it"
        )
    }
}
