/// A heap of values by identifier, with access to the first in order.
///
/// Each value can be changed or removed by its identifier, in time logarithmic in the count.
struct IndexedHeap<ID: Hashable & Sendable, Value: Comparable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let id: ID
        var value: Value
    }

    // A binary heap: an entry is not ordered before its parent, which is at half its position.
    private var entries: [Entry] = []
    private var positions: [ID: Int] = [:]

    var isEmpty: Bool { entries.isEmpty }

    var count: Int { entries.count }

    /// The first entry in order.
    var first: (id: ID, value: Value)? {
        entries.first.map { ($0.id, $0.value) }
    }

    func contains(_ id: ID) -> Bool {
        positions[id] != nil
    }

    /// Inserts a value, or replaces the one with the same identifier.
    mutating func set(_ id: ID, _ value: Value) {
        if let position = positions[id] {
            entries[position].value = value
            settle(position)
        } else {
            positions[id] = entries.count
            entries.append(Entry(id: id, value: value))
            settle(entries.count - 1)
        }
    }

    /// Removes a value; no effect if there is none.
    mutating func remove(_ id: ID) {
        guard let position = positions.removeValue(forKey: id) else { return }
        let last = entries.removeLast()
        if position < entries.count {
            entries[position] = last
            positions[last.id] = position
            settle(position)
        }
    }

    /// Moves an entry up or down to its position.
    private mutating func settle(_ start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard entries[position].value < entries[parent].value else { break }
            swap(position, parent)
            position = parent
        }
        while true {
            var first = position
            for child in [2 * position + 1, 2 * position + 2]
            where child < entries.count && entries[child].value < entries[first].value {
                first = child
            }
            if first == position { return }
            swap(position, first)
            position = first
        }
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        entries.swapAt(left, right)
        positions[entries[left].id] = left
        positions[entries[right].id] = right
    }
}
