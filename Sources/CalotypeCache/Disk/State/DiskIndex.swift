package import CalotypeCore

/// The entries of one folder known to this process: their sizes, last uses, and eviction order.
///
/// Advisory: the files are authoritative, and other processes change them. A use is one store into the entry.
/// The heap is only touched by insertions, removals and evictions; an item whose priority has risen since
/// sinks when it comes up (lazy, as in LazyGDSF of `Docs/decisions/0012`).
package struct DiskIndex<Policy: DiskEvictionPolicy>: Sendable {
    private struct Record {
        var entry: DiskIndexEntry
        /// The position of its item in the heap; `free` without an entry.
        var place: Int32
        /// The walk that has seen it, or during which it was inserted.
        var walk: UInt32
    }

    private struct HeapItem {
        /// At most the entry's priority, unless it was put off.
        var priority: Int64
        var slot: Int32
    }

    private static var free: Int32 { -1 }

    private let policy: Policy
    private var table = SlotTable()
    private var records: [Record] = []
    private var freeSlots: [Int32] = []
    private var heap: [HeapItem] = []
    private var walk: UInt32 = 0

    /// The size of all entries in bytes.
    package private(set) var byteCount = 0

    package init(policy: Policy) {
        self.policy = policy
    }

    package var count: Int { heap.count }

    package var usage: StoreUsage { StoreUsage(entryCount: count, byteCount: byteCount) }

    /// Returns an entry; `nil` if it is unknown.
    package func entry(_ name: EntryName) -> DiskIndexEntry? {
        slot(of: name).map { records[$0].entry }
    }

    /// All entries, in no order.
    package var entries: [DiskIndexEntry] { heap.map { records[Slot($0.slot)].entry } }

    /// Adds an entry, replacing one with its name.
    package mutating func insert(_ entry: DiskIndexEntry) {
        if let slot = slot(of: entry.name) { replace(slot, with: entry) } else { add(entry) }
    }

    /// Adds or updates an entry that a walk has listed; a later use known to this process is preserved.
    package mutating func merge(_ entry: DiskIndexEntry) {
        guard let slot = slot(of: entry.name) else { return add(entry) }
        var entry = entry
        entry.accessedAt = max(entry.accessedAt, records[slot].entry.accessedAt)
        replace(slot, with: entry)
    }

    /// Records a use; a time before the last known one has no effect.
    package mutating func touch(_ name: EntryName, at time: Timestamp) {
        guard let slot = slot(of: name), records[slot].entry.accessedAt < time else { return }
        records[slot].entry.accessedAt = time
    }

    @discardableResult
    package mutating func remove(_ name: EntryName) -> DiskIndexEntry? {
        slot(of: name).map { remove(at: $0) }
    }

    /// Reserves capacity for this many entries in all.
    package mutating func reserveCapacity(_ count: Int) {
        guard count > records.count else { return }
        records.reserveCapacity(count)
        heap.reserveCapacity(count)
    }

    private func slot(of name: EntryName) -> Slot? {
        table.slot(tag: Self.tag(of: name)) { records[$0].entry.name == name }
    }

    /// The names are hashes already.
    private static func tag(of name: EntryName) -> UInt32 { UInt32(truncatingIfNeeded: name.low) }

    private mutating func replace(_ slot: Slot, with entry: DiskIndexEntry) {
        byteCount += entry.byteCount - records[slot].entry.byteCount
        records[slot].entry = entry
        records[slot].walk = walk
        let place = Int(records[slot].place)
        let priority = policy.priority(of: entry)
        // Only a lower priority must be applied at once.
        guard priority < heap[place].priority else { return }
        heap[place].priority = priority
        siftUp(from: place)
    }

    private mutating func add(_ entry: DiskIndexEntry) {
        let record = Record(entry: entry, place: Int32(heap.count), walk: walk)
        let slot: Slot
        if let free = freeSlots.popLast() {
            slot = Slot(free)
            records[slot] = record
        } else {
            slot = records.count
            precondition(slot < Int32.max, "a folder has fewer than 2^31 entries")
            records.append(record)
        }
        byteCount += entry.byteCount
        table.insert(slot, tag: Self.tag(of: entry.name))
        heap.append(HeapItem(priority: policy.priority(of: entry), slot: Int32(slot)))
        siftUp(from: heap.count - 1)
    }

    private mutating func remove(at slot: Slot) -> DiskIndexEntry {
        let entry = records[slot].entry
        byteCount -= entry.byteCount
        table.remove(slot, tag: Self.tag(of: entry.name))
        removeItem(at: Int(records[slot].place))
        records[slot].place = Self.free
        freeSlots.append(Int32(slot))
        return entry
    }
}

extension DiskIndex {
    /// A lower bound of all priorities; `nil` if there is no entry.
    package var leastPriorityBound: Int64? { heap.first?.priority }

    /// Returns the entry with the least priority, and that priority.
    package mutating func least() -> (entry: DiskIndexEntry, priority: Int64)? {
        while let item = heap.first {
            let entry = records[Slot(item.slot)].entry
            let priority = policy.priority(of: entry)
            guard priority > item.priority else { return (entry, item.priority) }
            heap[0].priority = priority
            siftDown(from: 0)
        }
        return nil
    }

    /// Raises an entry's position in the eviction order to a priority above its own.
    package mutating func putOff(_ name: EntryName, to priority: Int64) {
        guard let slot = slot(of: name) else { return }
        let place = Int(records[slot].place)
        guard heap[place].priority < priority else { return }
        heap[place].priority = priority
        siftDown(from: place)
    }

    /// Removes the entries that must be evicted for the rest to fit.
    ///
    /// - Parameters:
    ///   - maxByteCount: The most bytes that may stay.
    ///   - maxCount: The most entries that may stay.
    /// - Returns: The evicted entries, in eviction order.
    package mutating func evict(toByteCount maxByteCount: Int, count maxCount: Int) -> [DiskIndexEntry] {
        var evicted: [DiskIndexEntry] = []
        while byteCount > maxByteCount || count > maxCount, let (entry, _) = least() {
            remove(entry.name)
            evicted.append(entry)
        }
        return evicted
    }
}

/// Support for walks: detecting unseen entries, and iterating over all entries in portions.
extension DiskIndex {
    /// Begins a walk; entries inserted or merged from now on count as seen by it.
    package mutating func beginWalk() {
        walk &+= 1
    }

    /// Calls `body` with a portion of the entries and whether the walk has seen them.
    ///
    /// - Parameters:
    ///   - start: The start of the portion, 0 for the first.
    ///   - count: The most slots in it; some of them may be free.
    ///   - body: Receives each entry.
    /// - Returns: The start of the next portion; `nil` after the last.
    package func forEach(
        from start: Int,
        count: Int,
        _ body: (_ entry: DiskIndexEntry, _ isSeen: Bool) -> Void
    ) -> Int? {
        let end = min(records.count, start + count)
        guard start < end else { return nil }
        for record in records[start..<end] where record.place != Self.free {
            body(record.entry, record.walk == walk)
        }
        return end < records.count ? end : nil
    }
}

/// The heap: least priority on top; each record has the position of its item.
extension DiskIndex {
    private mutating func place(_ item: HeapItem, at index: Int) {
        heap[index] = item
        records[Slot(item.slot)].place = Int32(index)
    }

    private mutating func siftUp(from start: Int) {
        let item = heap[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard item.priority < heap[parent].priority else { break }
            place(heap[parent], at: index)
            index = parent
        }
        place(item, at: index)
    }

    private mutating func siftDown(from start: Int) {
        let item = heap[start]
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { break }
            let right = left + 1
            let child = right < heap.count && heap[right].priority < heap[left].priority ? right : left
            guard heap[child].priority < item.priority else { break }
            place(heap[child], at: index)
            index = child
        }
        place(item, at: index)
    }

    private mutating func removeItem(at index: Int) {
        let last = heap.removeLast()
        guard index < heap.count else { return }
        place(last, at: index)
        siftUp(from: index)
        siftDown(from: index)
    }

    /// Returns whether the parts are consistent; for tests and assertions.
    package func checkInvariants() -> Bool {
        table.checkInvariants()
        let used = records.indices.filter { records[$0].place != Self.free }
        let total = used.reduce(0) { $0 + records[$1].entry.byteCount }
        let isFound = used.allSatisfy { slot(of: records[$0].entry.name) == $0 }
        let isPlaced = used.allSatisfy { Slot(heap[Int(records[$0].place)].slot) == $0 }
        let isHeap = heap.indices.dropFirst().allSatisfy { heap[($0 - 1) / 2].priority <= heap[$0].priority }
        return total == byteCount && used.count == heap.count && isFound && isPlaced && isHeap
            && records.count == heap.count + freeSlots.count && Set(freeSlots).count == freeSlots.count
    }
}
