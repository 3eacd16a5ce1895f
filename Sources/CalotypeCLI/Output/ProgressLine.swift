/// What a progress line says, as a pure value.
struct ProgressLine: Hashable, Sendable {
    /// Pieces of work.
    var totalCount: Int
    /// Those that have ended, well or not.
    var doneCount = 0
    /// Bytes that have come.
    var receivedByteCount = 0
    /// Bytes that are still announced, for the work that runs.
    var pendingByteCount = 0
    /// Bytes a second; `nil` where nobody knows.
    var byteRate: Double?

    init(totalCount: Int) {
        self.totalCount = totalCount
    }

    /// How much is done, 0...1: of the pieces, and of the running piece where there is only one.
    var fraction: Double {
        guard totalCount > 1 else {
            let sum = receivedByteCount + pendingByteCount
            return doneCount == totalCount ? 1 : sum == 0 ? 0 : Double(receivedByteCount) / Double(sum)
        }
        return Double(doneCount) / Double(totalCount)
    }

    /// The line, never longer than `width` columns, so that the terminal does not wrap it.
    func text(width: Int) -> String {
        let counts = " \(doneCount)/\(totalCount)"
        let bytes = receivedByteCount == 0 ? "" : "  \(Record.Value.readable(byteCount: receivedByteCount))"
        let rate = byteRate.map { "  " + Record.Value.readable(byteRate: $0) } ?? ""
        for words in [counts + bytes + rate, counts + bytes] {
            let barWidth = min(40, width - words.count - 3)
            if barWidth >= 5 { return bar(width: barWidth) + words }
        }
        return String(counts.dropFirst().prefix(max(0, width - 1)))
    }

    private func bar(width: Int) -> String {
        let filled = Int((fraction * Double(width)).rounded(.down))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }
}
