extension CacheTrace {
    /// Returns the ratios of an optimal cache, which knows the future; `nil` if objects differ in size.
    ///
    /// It evicts, or does not admit, the object needed furthest in the future.
    ///
    /// - SeeAlso: Belady, A study of replacement algorithms for a virtual-storage computer, 1966.
    public func beladyHitRatios(capacity: Int) -> HitRatios? {
        guard sizes.allSatisfy({ $0 == sizes.first }), let size = sizes.first, size > 0 else { return nil }
        let nextUses = nextUses()
        let places = capacity / size
        var heldUntil = [Int?](repeating: nil, count: sizes.count)
        var furthest = MaxHeap()
        var (count, hits) = (0, 0)
        for (moment, key) in requests.enumerated() {
            if heldUntil[key] != nil { hits += 1 } else { count += 1 }
            heldUntil[key] = nextUses[moment]
            furthest.push((nextUses[moment], key))
            while count > places, let (use, candidate) = furthest.pop() {
                // An outdated item belongs to a key that has been used since.
                guard heldUntil[candidate] == use else { continue }
                heldUntil[candidate] = nil
                count -= 1
            }
        }
        let ratio = Double(hits) / Double(max(1, requests.count))
        return HitRatios(object: ratio, byte: ratio)
    }

    /// Returns the position of the next request for the same key, for each request; `Int.max` if there is
    /// none.
    private func nextUses() -> [Int] {
        var uses = [Int](repeating: .max, count: requests.count)
        var next = [Int](repeating: .max, count: sizes.count)
        for moment in requests.indices.reversed() {
            uses[moment] = next[requests[moment]]
            next[requests[moment]] = moment
        }
        return uses
    }
}

/// A binary heap with the greatest position on top.
private struct MaxHeap {
    private var items: [(use: Int, key: Int)] = []

    mutating func push(_ item: (use: Int, key: Int)) {
        items.append(item)
        var child = items.count - 1
        while child > 0, items[(child - 1) / 2].use < items[child].use {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> (use: Int, key: Int)? {
        guard let top = items.first else { return nil }
        let last = items.removeLast()
        guard !items.isEmpty else { return top }
        items[0] = last
        var parent = 0
        while true {
            var largest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
                if items[child].use > items[largest].use { largest = child }
            }
            if largest == parent { return top }
            items.swapAt(parent, largest)
            parent = largest
        }
    }
}
