/// What a progress line says, as a pure value.
struct ProgressLine: Hashable, Sendable {
    /// Pieces of work.
    var totalCount: Int
    /// Those that have ended, well or not.
    var doneCount = 0
    /// Bytes that have come.
    var receivedByteCount = 0
    /// How much of the pieces that run is done, as a number of pieces.
    var runningShare = 0.0
    /// Bytes a second; `nil` where nobody knows.
    var byteRate: Double?
    /// How long it has taken so far.
    var elapsed = Duration.zero

    init(totalCount: Int) {
        self.totalCount = totalCount
    }

    /// How much is done, 0...1: of the pieces, those that run counted by their bytes.
    var fraction: Double {
        guard totalCount > 0 else { return 1 }
        return min(1, (Double(doneCount) + runningShare) / Double(totalCount))
    }

    /// How long the rest will take if it goes on so; `nil` while that is a guess.
    var timeLeft: Duration? {
        guard elapsed >= .seconds(1), fraction >= 0.02, fraction < 1 else { return nil }
        return elapsed * ((1 - fraction) / fraction)
    }

    /// The line, never longer than `width` columns, so that the terminal does not wrap it.
    func text(width: Int) -> String {
        let counts = " \(doneCount)/\(totalCount)"
        let bytes = receivedByteCount == 0 ? "" : "  \(Record.Value.readable(byteCount: receivedByteCount))"
        let rate = byteRate.map { "  " + Record.Value.readable(byteRate: $0) } ?? ""
        let left = timeLeft.map { "  \(Self.readable($0)) left" } ?? ""
        for words in [counts + bytes + rate + left, counts + bytes + rate, counts + bytes] {
            let barWidth = min(40, width - words.count - 3)
            if barWidth >= 5 { return bar(width: barWidth) + words }
        }
        return String(counts.dropFirst().prefix(max(0, width - 1)))
    }

    /// Minutes and seconds: `2:05`; hours where there are any: `1:02:05`.
    private static func readable(_ duration: Duration) -> String {
        let seconds = Int(duration.components.seconds) + 1
        let parts = seconds < 3600 ? [seconds / 60] : [seconds / 3600, seconds / 60 % 60]
        let texts = (parts + [seconds % 60]).enumerated().map { index, part in
            index > 0 && part < 10 ? "0\(part)" : "\(part)"
        }
        return texts.joined(separator: ":")
    }

    private func bar(width: Int) -> String {
        let filled = Int((fraction * Double(width)).rounded(.down))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }
}
