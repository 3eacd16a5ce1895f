package import CalotypeCore

/// What a process knows of a directory's entries: their sizes, their last use, and who leaves first.
///
/// Advisory: the files are the truth, and other processes change them. A use is one store into the entry; the
/// heap is only touched by insertions and evictions, and an item whose priority has meanwhile risen is pushed
/// again when it comes up (lazy, as in LazyGDSF of `Docs/decisions/0012`).
package struct DiskIndex<Policy: DiskEvictionPolicy>: Sendable {
    private struct HeapItem {
        var priority: Int64
        var slot: Int
        var generation: UInt32
    }

    private struct Slot {
        var entry: DiskIndexEntry
        var generation: UInt32 = 0
    }

    private let policy: Policy
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var slotOfName: [EntryName: Int] = [:]
    private var heap: [HeapItem] = []

    /// Bytes of all entries.
    package private(set) var byteCount = 0

    package init(policy: Policy) {
        self.policy = policy
    }

    /// How many entries there are.
    package var count: Int { slotOfName.count }

    /// How many entries there are, and their bytes.
    package var usage: StoreUsage { StoreUsage(entryCount: count, byteCount: byteCount) }

    /// What is known of an entry.
    package func entry(_ name: EntryName) -> DiskIndexEntry? {
        slotOfName[name].map { slots[$0].entry }
    }

    /// All entries, in no order.
    package var entries: [DiskIndexEntry] { slotOfName.values.map { slots[$0].entry } }

    /// Takes an entry in, in place of what was known under its name.
    package mutating func insert(_ entry: DiskIndexEntry) {
        if let slot = slotOfName[entry.name] { replace(slot, with: entry) } else { add(entry) }
    }

    private mutating func replace(_ slot: Int, with entry: DiskIndexEntry) {
        byteCount += entry.byteCount - slots[slot].entry.byteCount
        slots[slot].entry = entry
    }

    private mutating func add(_ entry: DiskIndexEntry) {
        byteCount += entry.byteCount
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[slot].entry = entry
        } else {
            slot = slots.count
            slots.append(Slot(entry: entry))
        }
        slotOfName[entry.name] = slot
        push(slot)
    }

    /// Makes room for so many entries at once, where there are fewer.
    package mutating func reserveCapacity(_ count: Int) {
        guard count > self.count else { return }
        slotOfName.reserveCapacity(count)
        slots.reserveCapacity(count)
        heap.reserveCapacity(count)
    }

    /// Takes in what a scan saw of an entry; what this process knows of its last use stays.
    package mutating func merge(_ entry: DiskIndexEntry) {
        guard let slot = slotOfName[entry.name] else { return add(entry) }
        let accessedAt = max(entry.accessedAt, slots[slot].entry.accessedAt)
        replace(slot, with: entry)
        slots[slot].entry.accessedAt = accessedAt
    }

    /// Notes a use; a time before the last known one changes nothing.
    package mutating func touch(_ name: EntryName, at time: Timestamp) {
        guard let slot = slotOfName[name], slots[slot].entry.accessedAt < time else { return }
        slots[slot].entry.accessedAt = time
    }

    /// Forgets an entry.
    @discardableResult
    package mutating func remove(_ name: EntryName) -> DiskIndexEntry? {
        guard let slot = slotOfName.removeValue(forKey: name) else { return nil }
        let entry = slots[slot].entry
        byteCount -= entry.byteCount
        slots[slot].generation &+= 1
        freeSlots.append(slot)
        dropStaleItems()
        return entry
    }

    /// Forgets everything.
    package mutating func removeAll() {
        self = DiskIndex(policy: policy)
    }

    /// Forgets the entries that must leave for the rest to fit.
    ///
    /// - Parameters:
    ///   - byteCountMax: The most bytes that may stay.
    ///   - countMax: The most entries that may stay.
    ///   - isSpared: Entries that are being written or removed; they stay, whatever their priority.
    /// - Returns: The entries that must leave, the first to leave first.
    package mutating func evict(
        toByteCount byteCountMax: Int,
        count countMax: Int,
        sparing isSpared: (EntryName) -> Bool
    ) -> [DiskIndexEntry] {
        var evicted: [DiskIndexEntry] = []
        var spared: [HeapItem] = []
        while byteCount > byteCountMax || count > countMax, let item = popLeast() {
            guard slots[item.slot].generation == item.generation else { continue }
            let entry = slots[item.slot].entry
            let priority = policy.priority(of: entry)
            if priority > item.priority {
                push(item.slot)
            } else if isSpared(entry.name) {
                spared.append(item)
            } else if let entry = remove(entry.name) {
                evicted.append(entry)
            }
        }
        for item in spared { pushItem(item) }
        return evicted
    }
}

/// The heap: least priority on top.
extension DiskIndex {
    private mutating func push(_ slot: Int) {
        let priority = policy.priority(of: slots[slot].entry)
        pushItem(HeapItem(priority: priority, slot: slot, generation: slots[slot].generation))
    }

    private mutating func pushItem(_ item: HeapItem) {
        heap.append(item)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].priority < heap[parent].priority else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func popLeast() -> HeapItem? {
        guard let least = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown(from: 0)
        }
        return least
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let right = left + 1
            let child = right < heap.count && heap[right].priority < heap[left].priority ? right : left
            guard heap[child].priority < heap[index].priority else { return }
            heap.swapAt(index, child)
            index = child
        }
    }

    /// Builds the heap anew once most of it belongs to entries that are gone.
    private mutating func dropStaleItems() {
        guard heap.count > 2 * count + 64 else { return }
        heap.removeAll { slots[$0.slot].generation != $0.generation }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    /// Whether the parts agree with one another; for tests and assertions.
    package func checkInvariants() -> Bool {
        let total = slotOfName.values.reduce(0) { $0 + slots[$1].entry.byteCount }
        let namesFit = slotOfName.allSatisfy { name, slot in slots[slot].entry.name == name }
        let live = heap.filter { slots[$0.slot].generation == $0.generation }
        let isHeap = heap.indices.dropFirst().allSatisfy { heap[($0 - 1) / 2].priority <= heap[$0].priority }
        return total == byteCount && namesFit && isHeap && Set(live.map(\.slot)) == Set(slotOfName.values)
            && live.count == slotOfName.count && slots.count == count + freeSlots.count
    }
}
