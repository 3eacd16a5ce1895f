/// Lets stores in for as long as the bytes that wait to be written fit into a budget; the others stand in
/// line, and whatever is issued behind them stands behind them, so that order stays what it was; pure.
struct StoreLine<Entry: Sendable>: Sendable {
    private struct Waiting {
        let byteCount: Int
        /// `nil` once it has been let in.
        var entry: Entry?
    }

    private let byteCountMax: Int
    private(set) var byteCount = 0
    private var waiting: [Waiting] = []
    private var headIndex = 0

    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// Asks to be let in with so many bytes; returns what may go in now.
    mutating func append(_ entry: Entry, byteCount: Int) -> [Entry] {
        waiting.append(Waiting(byteCount: byteCount, entry: entry))
        return release()
    }

    /// Gives bytes back that have been written; returns what may go in now.
    mutating func giveBack(byteCount returned: Int) -> [Entry] {
        byteCount -= returned
        return release()
    }

    private mutating func release() -> [Entry] {
        var entries: [Entry] = []
        while headIndex < waiting.count {
            let first = waiting[headIndex]
            // What alone is more than the budget goes when nothing else is pending.
            let isLetIn =
                byteCount == 0 || first.byteCount == 0 || first.byteCount <= byteCountMax - byteCount
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
