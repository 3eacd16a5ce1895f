/// A queue that admits stores while the bytes that wait to be written fit into a budget; pure.
///
/// Operations issued after a waiting store wait behind it, so that their order is preserved.
struct StoreQueue<Entry: Sendable>: Sendable {
    private struct Waiting {
        let byteCount: Int
        /// `nil` once it has been admitted.
        var entry: Entry?
    }

    private let maxByteCount: Int
    private(set) var byteCount = 0
    private var waiting: [Waiting] = []
    private var headIndex = 0

    init(maxByteCount: Int) {
        self.maxByteCount = maxByteCount
    }

    /// Enqueues an entry with its bytes; returns the entries admitted now.
    mutating func append(_ entry: Entry, byteCount: Int) -> [Entry] {
        waiting.append(Waiting(byteCount: byteCount, entry: entry))
        return release()
    }

    /// Returns written bytes to the budget; returns the entries admitted now.
    mutating func giveBack(byteCount returned: Int) -> [Entry] {
        byteCount -= returned
        return release()
    }

    private mutating func release() -> [Entry] {
        var entries: [Entry] = []
        while headIndex < waiting.count {
            let first = waiting[headIndex]
            // A store larger than the budget is admitted when no bytes are pending.
            let isLetIn =
                byteCount == 0 || first.byteCount == 0 || first.byteCount <= maxByteCount - byteCount
            guard isLetIn else { break }
            byteCount += first.byteCount
            if let entry = waiting[headIndex].entry.take() { entries.append(entry) }
            headIndex += 1
        }
        if headIndex * 2 >= waiting.count {
            waiting.removeFirst(headIndex)
            headIndex = 0
        }
        return entries
    }
}
