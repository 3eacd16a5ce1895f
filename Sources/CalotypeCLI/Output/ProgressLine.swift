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
        let barWidth = min(40, width - counts.count - bytes.count - 3)
        guard barWidth >= 5 else { return String(counts.dropFirst().prefix(max(0, width - 1))) }
        let filled = Int((fraction * Double(barWidth)).rounded(.down))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
        return "\(bar)\(counts)\(bytes)"
    }
}
