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
        var cost = 0
    }

    private struct Ends {
        var first: Int32 = SlotQueues.none
        var last: Int32 = SlotQueues.none
        var load = CacheLoad()
    }

    private static let none: Int32 = -1

    private var nodes: [Node] = []
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
        nodes[slot].cost
    }

    /// The slot that has stood longest in a queue.
    func first(of queue: Queue) -> Slot? {
        let first = queues[queue].first
        return first == Self.none ? nil : Slot(first)
    }

    /// Puts a slot that stands nowhere at the end of a queue.
    mutating func append(_ slot: Slot, cost: Int, to queue: Queue) {
        if slot >= nodes.count {
            nodes.append(contentsOf: repeatElement(Node(), count: slot + 1 - nodes.count))
        }
        assert(nodes[slot].queue == Self.none, "the slot stands in a queue already")
        nodes[slot].cost = cost
        nodes[slot].queue = Int32(truncatingIfNeeded: queue)
        queues[queue].load.cost += cost
        queues[queue].load.count += 1
        link(slot, atEndOf: queue)
    }

    /// Takes a slot out of the queue it stands in, if it does.
    mutating func remove(_ slot: Slot) {
        guard let queue = queue(of: slot) else { return }
        unlink(slot, from: queue)
        queues[queue].load.cost -= nodes[slot].cost
        queues[queue].load.count -= 1
        nodes[slot].queue = Self.none
    }

    /// Takes a slot from where it stands to the end of a queue.
    mutating func move(_ slot: Slot, to queue: Queue) {
        if nodes[slot].queue == Int32(truncatingIfNeeded: queue) {
            moveToEnd(slot)
        } else {
            let cost = nodes[slot].cost
            remove(slot)
            append(slot, cost: cost, to: queue)
        }
    }

    /// Takes a slot to the end of the queue it stands in.
    mutating func moveToEnd(_ slot: Slot) {
        let queue = Queue(nodes[slot].queue)
        guard nodes[slot].next != Self.none else { return }
        unlink(slot, from: queue)
        link(slot, atEndOf: queue)
    }

    private mutating func link(_ slot: Slot, atEndOf queue: Queue) {
        let last = queues[queue].last
        let number = Int32(truncatingIfNeeded: slot)
        nodes[slot].previous = last
        nodes[slot].next = Self.none
        queues[queue].last = number
        if last == Self.none {
            queues[queue].first = number
        } else {
            nodes[Slot(last)].next = number
        }
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
                load = load.adding(cost: nodes[slot].cost)
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
