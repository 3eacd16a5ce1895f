/// Four queues of slots, numbered from 0, over one array of links; a slot is in at most one of them at a
/// time.
///
/// The queue of a slot doubles as its state. Beside its links is a note of the owner, which stays whether the
/// slot is queued or not, so that data read together is stored together. Every operation on a slot is O(1).
struct SlotQueues<Note: Sendable>: Sendable {
    typealias Queue = Int

    private struct Node {
        var previous: Int32 = SlotQueues.none
        var next: Int32 = SlotQueues.none
        /// `none` if the slot is not in a queue.
        var queue: Int32 = SlotQueues.none
        var note: Note
        var cost = 0
    }

    private struct Ends {
        var first: Int32 = SlotQueues.none
        var last: Int32 = SlotQueues.none
        var load = CacheLoad()
    }

    private static var none: Int32 { -1 }

    private(set) var load = CacheLoad()

    private let emptyNote: Note
    private var nodes: [Node] = []
    private var queues: InlineArray<4, Ends> = .init(repeating: Ends())

    /// Creates empty queues.
    ///
    /// `note` is the note of a new slot.
    init(note: Note) {
        emptyNote = note
    }

    /// The owner's note on a slot that has been in a queue or been made ready.
    subscript(slot: Slot) -> Note {
        get { nodes[slot].note }
        set { nodes[slot].note = newValue }
    }

    /// Allocates the node of a slot.
    mutating func makeReady(_ slot: Slot) {
        guard slot >= nodes.count else { return }
        nodes.append(contentsOf: repeatElement(Node(note: emptyNote), count: slot + 1 - nodes.count))
    }

    func queue(of slot: Slot) -> Queue? {
        guard slot < nodes.count, nodes[slot].queue != Self.none else { return nil }
        return Queue(nodes[slot].queue)
    }

    func load(of queue: Queue) -> CacheLoad {
        queues[queue].load
    }

    func cost(of slot: Slot) -> Int {
        nodes[slot].cost
    }

    /// Returns the slot that has been in a queue the longest.
    func first(of queue: Queue) -> Slot? {
        let first = queues[queue].first
        return first == Self.none ? nil : Slot(first)
    }

    /// Returns the slot that was added to a queue last.
    func last(of queue: Queue) -> Slot? {
        let last = queues[queue].last
        return last == Self.none ? nil : Slot(last)
    }

    /// Returns the slot right before another in the same queue.
    func slot(before slot: Slot) -> Slot? {
        let previous = nodes[slot].previous
        return previous == Self.none ? nil : Slot(previous)
    }

    mutating func append(_ slot: Slot, cost: Int, to queue: Queue) {
        insert(slot, cost: cost, in: queue, after: last(of: queue))
    }

    /// Inserts an unqueued slot right behind another of the queue, or at the front.
    mutating func insert(_ slot: Slot, cost: Int, in queue: Queue, after previous: Slot?) {
        makeReady(slot)
        assert(nodes[slot].queue == Self.none, "the slot stands in a queue already")
        nodes[slot].cost = cost
        nodes[slot].queue = Int32(truncatingIfNeeded: queue)
        queues[queue].load = queues[queue].load.adding(cost: cost)
        load = load.adding(cost: cost)
        link(slot, in: queue, after: previous.map(Int32.init(truncatingIfNeeded:)) ?? Self.none)
    }

    /// Removes a slot from its queue, if it is in one.
    mutating func remove(_ slot: Slot) {
        guard let queue = queue(of: slot) else { return }
        unlink(slot, from: queue)
        let cost = nodes[slot].cost
        queues[queue].load = queues[queue].load.subtracting(cost: cost)
        load = load.subtracting(cost: cost)
        nodes[slot].queue = Self.none
    }

    mutating func move(_ slot: Slot, to queue: Queue) {
        if nodes[slot].queue == Int32(truncatingIfNeeded: queue) {
            moveToEnd(slot)
        } else {
            let cost = cost(of: slot)
            remove(slot)
            append(slot, cost: cost, to: queue)
        }
    }

    mutating func moveToEnd(_ slot: Slot) {
        let queue = Queue(nodes[slot].queue)
        guard nodes[slot].next != Self.none else { return }
        unlink(slot, from: queue)
        link(slot, in: queue, after: queues[queue].last)
    }

    private mutating func link(_ slot: Slot, in queue: Queue, after previous: Int32) {
        Self.link(slot, after: previous, in: &queues[queue], &nodes)
    }

    private mutating func unlink(_ slot: Slot, from queue: Queue) {
        Self.unlink(slot, from: &queues[queue], &nodes)
    }

    private static func link(_ slot: Slot, after previous: Int32, in ends: inout Ends, _ array: inout [Node])
    {
        // A span is checked for exclusive ownership when it is created, an array at each change.
        var nodes = array.mutableSpan
        let number = Int32(truncatingIfNeeded: slot)
        let next = previous == none ? ends.first : nodes[Slot(previous)].next
        nodes[slot].previous = previous
        nodes[slot].next = next
        if previous == none { ends.first = number } else { nodes[Slot(previous)].next = number }
        if next == none { ends.last = number } else { nodes[Slot(next)].previous = number }
    }

    private static func unlink(_ slot: Slot, from ends: inout Ends, _ array: inout [Node]) {
        var nodes = array.mutableSpan
        let previous = nodes[slot].previous
        let next = nodes[slot].next
        if previous == none { ends.first = next } else { nodes[Slot(previous)].next = next }
        if next == none { ends.last = previous } else { nodes[Slot(next)].previous = previous }
    }
}

extension SlotQueues {
    /// Returns the slots of a queue from first to last; for tests and checks.
    func slots(of queue: Queue) -> [Slot] {
        Array(
            sequence(state: queues[queue].first) { [nodes] slot -> Slot? in
                guard slot != Self.none else { return nil }
                defer { slot = nodes[Slot(slot)].next }
                return Slot(slot)
            }
        )
    }

    /// Stops the process if links, queues and loads are inconsistent; for tests.
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
        precondition(queues.indices.reduce(CacheLoad()) { $0 + queues[$1].load } == load, "one load in all")
        precondition(
            seen == nodes.count { $0.queue != Self.none },
            "every slot that names a queue stands in it"
        )
    }
}
